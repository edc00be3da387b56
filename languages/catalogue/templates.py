"""Texts of templates: those that are marked, and the words that are not.

A template is read as HTML in which each tag and variable of Django's is covered by as many private
characters, so that places in one are places in the other.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.utils.text import unescape_string_literal
from django.utils.translation import trim_whitespace

from languages.catalogue.texts import Text

# A variable begins with a character of its own, so that two side by side remain two.
_BEGIN, _VARIABLE, _BLOCK = "\ue002", "\ue000", "\ue001"
_LITERAL = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_SENTENCE = re.compile(
    r"{%\s*blocktrans(?:late)?\b(?P<options>.*?)%}(?P<one>.*?)"
    r"(?:{%\s*plural\s*%}(?P<many>.*?))?{%\s*endblocktrans(?:late)?\s*%}",
    re.DOTALL,
)
_COMMENT = re.compile(r"{%\s*comment\b.*?{%\s*endcomment\s*%}", re.DOTALL)
_CLASSES = re.compile(r"{%\s*block (?:body_class|referrer)\s*%}.*?{%\s*endblock\b.*?%}", re.DOTALL)
_TOKEN = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}")
_WORD = re.compile(rf"{{%\s*trans(?:late)?\s+{_LITERAL}(?P<options>[^%]*)%}}")
_ARGUMENT = re.compile(rf"\b_\({_LITERAL}\)")
_CONTEXT = re.compile(rf"\bcontext\s+{_LITERAL}")
_PLACE = re.compile(r"{{\s*(\w+)\s*}}")

_HTML = re.compile(
    r"<!--.*?-->|<!doctype[^>]*>"
    r"|<(?P<end>/?)(?P<name>[a-zA-Z][\w-]*)(?P<attributes>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*\"([^\"]*)\"")
_SHOWN_ATTRIBUTES = {
    *("title", "aria-label", "aria-description", "aria-roledescription", "aria-valuetext"),
    *("placeholder", "alt", "label", "data-label", "data-title", "data-confirm", "data-say"),
}
_SENTENCE_IN_DATA = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
# Elements that may stand within a sentence, with no attributes but these.
_INLINE = {"bdi", "code", "strong", "em", "b", "i", "kbd", "a"}
_PLAIN_ATTRIBUTES = re.compile(r"(\s+(class|dir|lang|href|rel|target)=\"[^\"\ue001\ue002]*\")*\s*")
_PIECE = re.compile(f"{_BEGIN}{_VARIABLE}*|{_BLOCK}+|[^{_BEGIN}{_BLOCK}]+")
_CODE = {"code", "kbd", "pre", "script", "style", "textarea", "samp"}
_CODE_ELEMENT = re.compile(r"<(code|kbd|pre|textarea|samp)\b.*?</\1>", re.DOTALL)
_ENTITY = re.compile(r"&#?\w+;")
_WORDS = re.compile(r"[A-Za-z]{2,}")
# Names, units and formats, which are the same in all languages.
NAMES = {
    *("Roundtrip", "JSON", "MCP", "KB", "MB", "URL", "ID", "API", "HTTP", "OpenAI", "CSV", "SSE"),
    *(
        "ms",
        "min",
        "SHA",
        "UTF",
        "curl",
        "Python",
        "Markdown",
        "PDF",
        "OAuth",
        "Qwen",
    ),
    *("ShareGPT", "JSONL", "GGUF", "Jinja", "SQL", "UUID", "LF", "NUL"),
}


def texts(source: str) -> Iterator[Text]:
    for sentence in _SENTENCE.finditer(source):
        is_trimmed = " trimmed" in f" {sentence['options']}"
        one, many = (_text(part or "", is_trimmed) for part in (sentence["one"], sentence["many"]))
        yield Text(one, _context(sentence["options"]), many)
    rest = _SENTENCE.sub("", source)
    for word in _WORD.finditer(rest):
        yield Text(_doubled(unescape_string_literal(word[1])), _context(word["options"]))
    for token in _TOKEN.finditer(rest):
        for argument in _ARGUMENT.finditer(token[0]):
            yield Text(_doubled(unescape_string_literal(argument[1])))


def _text(body: str, is_trimmed: bool) -> str:
    text = _PLACE.sub(r"%(\1)s", _doubled(body))
    return trim_whitespace(text) if is_trimmed else text


def _doubled(text: str) -> str:
    """Per cent signs as Django looks texts of templates up."""
    return text.replace("%", "%%")


def _context(options: str) -> str:
    match = _CONTEXT.search(options)
    return unescape_string_literal(match[1]) if match else ""


@dataclass(frozen=True)
class Piece:
    """Text from `start` to `end`; kind is `text`, `variable` (its tag) or `tag`."""

    kind: str
    start: int
    end: int
    name: str = ""


@dataclass
class Run:
    """What is read as one sentence: text, variables and inline elements without a tag of Django's
    between them. `attribute` is the name of the attribute that it is in, if any."""

    pieces: list[Piece] = field(default_factory=list)
    attribute: str = ""


def unmarked(source: str) -> Iterator[tuple[int, str]]:
    """Words for people without a mark: their line and themselves."""
    for run in runs(source):
        start, end = run.pieces[0].start, run.pieces[-1].end
        words = " ".join(source[start:end].split())
        yield source.count("\n", 0, start) + 1, words
    for token in _TOKEN.finditer(_SENTENCE.sub(lambda m: "\n" * m[0].count("\n"), source)):
        if words := _unmarked_argument(token[0]):
            yield source.count("\n", 0, source.find(token[0])) + 1, words


_ARGUMENT_TEXT = re.compile(r"""(?:default|default_if_none|add):"[^"]*[a-z]{2} [^"]*"|pluralize""")
# A word that a variable has in place of nothing; values of attributes stand in single quotes.
_DEFAULT_WORD = re.compile(r'{{.*\|default(?:_if_none)?:"[A-Za-z]{2,}"')
_WITH_TEXT = re.compile(r"""\b\w+="(?:[A-Z][a-z]|[a-z]+ [a-z])[^"]*\"""")


def _unmarked_argument(token: str) -> str:
    """A filter's or an include's text, or a plural that is made of two parts."""
    match = _ARGUMENT_TEXT.search(token) or _DEFAULT_WORD.match(token)
    if match is None and re.match(r"{%\s*(include|with)\b", token):
        match = _WITH_TEXT.search(token)
    return token if match else ""


def runs(source: str) -> list[Run]:
    """The runs that have words without a mark."""
    masked = _masked(source)
    found = [*_text_runs(masked), *_attribute_runs(masked)]
    worded = [trimmed for run in found for trimmed in _trimmed(masked, run)]
    code = [element.span() for element in _CODE_ELEMENT.finditer(masked)]
    shown = [run for run in worded if not _is_within(run, code)]
    return sorted(shown, key=lambda run: run.pieces[0].start)


def _is_within(run: Run, spans: list[tuple[int, int]]) -> bool:
    start, end = run.pieces[0].start, run.pieces[-1].end
    return not run.attribute and any(first < start and end < last for first, last in spans)


def _masked(source: str) -> str:
    for pattern in (_SENTENCE, _COMMENT, _CLASSES):
        source = pattern.sub(lambda match: _BLOCK * len(match[0]), source)
    return _TOKEN.sub(_cover, source)


def _cover(token: re.Match[str]) -> str:
    length = len(token[0])
    is_variable = token[0].startswith("{{")
    return _BEGIN + _VARIABLE * (length - 1) if is_variable else _BLOCK * length


def _text_runs(masked: str) -> Iterator[Run]:
    run, place, silent = Run(), 0, ""
    for tag in (*_HTML.finditer(masked), None):
        end = tag.start() if tag else len(masked)
        if not silent:
            for piece in _pieces(masked, place, end):
                if piece.kind == "block":
                    yield run
                    run = Run()
                else:
                    run.pieces.append(piece)
        if tag is None:
            break
        name, place = (tag["name"] or "").lower(), tag.end()
        if silent:
            silent = "" if tag["end"] and name == silent else silent
        elif name in _INLINE and _PLAIN_ATTRIBUTES.fullmatch(tag["attributes"]):
            run.pieces.append(Piece("tag", tag.start(), tag.end(), tag["end"] + name))
        else:
            yield run
            run = Run()
            silent = name if name in ("script", "style") and not tag["end"] else ""
    yield run


def _pieces(masked: str, start: int, end: int) -> Iterator[Piece]:
    for match in _PIECE.finditer(masked[start:end]):
        kind = {_BEGIN: "variable", _BLOCK: "block"}.get(match[0][0], "text")
        yield Piece(kind, start + match.start(), start + match.end())


def _attribute_runs(masked: str) -> Iterator[Run]:
    for tag in _HTML.finditer(masked):
        for attribute in _ATTRIBUTE.finditer(tag["attributes"] or ""):
            name = attribute[1].lower()
            if name in _SHOWN_ATTRIBUTES or _has_sentence(name, attribute[2]):
                start = tag.start("attributes")
                run = Run(attribute=attribute[1])
                for piece in _pieces(masked, start + attribute.start(2), start + attribute.end(2)):
                    if piece.kind == "block":
                        yield run
                        run = Run(attribute=attribute[1])
                    else:
                        run.pieces.append(piece)
                yield run


def _has_sentence(attribute: str, value: str) -> bool:
    """Whether scripts find a sentence for people there."""
    return attribute.startswith("data-") and _SENTENCE_IN_DATA.search(value) is not None


def _trimmed(masked: str, run: Run) -> Iterator[Run]:
    """The run without white space and elements around it, if it has words; its parts, if an element
    begins in it and ends elsewhere."""
    groups = [run.pieces] if _is_balanced(run.pieces) else _split_at_tags(run.pieces)
    for pieces in groups:
        if _has_words(masked, pieces):
            yield Run(_stripped(masked, pieces), run.attribute)


def _is_balanced(pieces: Iterable[Piece]) -> bool:
    open_names: list[str] = []
    for piece in pieces:
        if piece.kind == "tag" and not piece.name.startswith("/"):
            open_names.append(piece.name)
        elif piece.kind == "tag" and (not open_names or open_names.pop() != piece.name[1:]):
            return False
    return not open_names


def _split_at_tags(pieces: Iterable[Piece]) -> list[list[Piece]]:
    groups: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.kind == "tag":
            groups.append([])
        else:
            groups[-1].append(piece)
    return groups


def _has_words(masked: str, pieces: Iterable[Piece]) -> bool:
    depth = 0
    for piece in pieces:
        if piece.kind == "tag" and piece.name.strip("/") in _CODE:
            depth += -1 if piece.name.startswith("/") else 1
        text = _ENTITY.sub(" ", masked[piece.start : piece.end])
        if piece.kind == "text" and depth == 0 and set(_WORDS.findall(text)) - NAMES:
            return True
    return False


def _stripped(masked: str, pieces: list[Piece]) -> list[Piece]:
    while True:
        pieces = [p for p in pieces if p.start < p.end]
        first, last = pieces[0], pieces[-1]
        if first.kind == "text" and not masked[first.start : first.end].strip():
            pieces = pieces[1:]
        elif last.kind == "text" and not masked[last.start : last.end].strip():
            pieces = pieces[:-1]
        elif first.kind == "tag" and last.kind == "tag" and _is_balanced(pieces[1:-1]):
            pieces = pieces[1:-1]
        else:
            return [_without_space(masked, p, pieces) for p in pieces]


def _without_space(masked: str, piece: Piece, pieces: list[Piece]) -> Piece:
    text = masked[piece.start : piece.end]
    start = piece.start + (len(text) - len(text.lstrip()) if piece is pieces[0] else 0)
    end = piece.end - (len(text) - len(text.rstrip()) if piece is pieces[-1] else 0)
    return Piece(piece.kind, start, end, piece.name)
