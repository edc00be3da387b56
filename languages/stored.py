"""Sentences that are stored, or sent to everybody who follows a conversation.

Whoever writes one does not know who will read it, so it is kept in English, with its values in it.
`shown` translates it for a reader: by the catalogue, whose entries of the context `stored` are the
sentences with places for values. Old rows need no migration, and other programs read English.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation.trans_real import CONTEXT_SEPARATOR, translation

CONTEXT = "stored"
PLACE = re.compile(r"%\((\w+)\)s")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?:]) (?=[A-Z“])")
_MAX_SENTENCE = 2_000
_MAX_DEPTH = 3


def stored(sentence: str, /, **values: object) -> str:
    """The sentence in English, with its values in the places `%(name)s`."""
    return sentence % values if values else sentence


def shown(sentence: str, language: str | None = None) -> str:
    """A stored sentence in a language, the reader's if none is named; itself, if it is none that
    we know."""
    language = language or get_language()
    if not sentence or language is None or language.startswith("en"):
        return sentence
    return _translated(language, str(sentence), 0)


@lru_cache(maxsize=4_096)
def _translated(language: str, sentence: str, depth: int) -> str:
    if len(sentence) > _MAX_SENTENCE or depth > _MAX_DEPTH:
        return sentence
    return (
        _as_it_is(language, sentence)
        or _with_values(language, sentence, depth)
        or _by_sentences(language, sentence, depth)
    )


def _as_it_is(language: str, sentence: str) -> str:
    key = CONTEXT + CONTEXT_SEPARATOR + sentence
    found: str = translation(language).gettext(key)
    return "" if found == key else found


def _with_values(language: str, sentence: str, depth: int) -> str:
    for form in _forms(language):
        if match := form.match(sentence):
            values = match.groupdict()
            return form.text % {k: _translated(language, v, depth + 1) for k, v in values.items()}
    return ""


def _by_sentences(language: str, text: str, depth: int) -> str:
    """Several sentences that were stored as one text, each by itself."""
    parts = _BETWEEN_SENTENCES.split(text)
    if len(parts) == 1:
        return text
    return " ".join(_translated(language, part, depth + 1) for part in parts)


@dataclass(frozen=True)
class _Form:
    """A sentence with places; `begin` and `end` are its words before the first and after the last
    one, `text` is its translation."""

    begin: str
    end: str
    pattern: re.Pattern[str]
    text: str

    def match(self, sentence: str) -> re.Match[str] | None:
        """The pattern is tried where both ends fit, else it would try each way to place its
        values before it fails at the last word."""
        if not (sentence.startswith(self.begin) and sentence.endswith(self.end)):
            return None
        return self.pattern.fullmatch(sentence)


@lru_cache(maxsize=8)
def _forms(language: str) -> list[_Form]:
    """The sentences with values, those with the most words of their own first."""
    prefix = CONTEXT + CONTEXT_SEPARATOR
    entries: Any = translation(language)._catalog  # type: ignore[attr-defined]  # Django's own
    sentences = [
        (key.removeprefix(prefix), text)
        for key, text in entries.items()
        if isinstance(key, str) and key.startswith(prefix) and PLACE.search(key)
    ]
    sentences.sort(key=lambda entry: (-len(PLACE.sub("", entry[0])), entry[0]))
    return [_form(sentence, text) for sentence, text in sentences]


def _form(sentence: str, text: str) -> _Form:
    begin, *rest = PLACE.split(sentence.replace("%%", "%"))
    pattern, names = re.escape(begin), set()
    for name, words in zip(rest[::2], rest[1::2], strict=True):
        pattern += f"(?P={name})" if name in names else f"(?P<{name}>.*?)"
        pattern += re.escape(words)
        names.add(name)
    return _Form(begin, rest[-1], re.compile(pattern, re.DOTALL), text)
