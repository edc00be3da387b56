"""Texts of Python modules, from their syntax trees."""

import ast
import re
from collections.abc import Iterator

from languages import shipped, stored
from languages.catalogue.texts import Text

_SINGLE = {"gettext", "gettext_lazy", "gettext_noop", "later", "_"}
_PLURAL = {"ngettext", "ngettext_lazy"}
_WITH_CONTEXT = {"pgettext", "pgettext_lazy"}
_STORED = {"stored": stored.CONTEXT, "shipped": shipped.CONTEXT}
MARKERS = _SINGLE | _PLURAL | _WITH_CONTEXT | _STORED.keys()


def texts(source: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and (name := called(node)) in MARKERS:
            arguments = [_constant(argument) for argument in node.args]
            if text := _text(name, arguments):
                yield text


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    function = node.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _constant(node: ast.expr) -> str | None:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if isinstance(node, ast.Constant) and is_text else None


def _text(name: str, arguments: list[str | None]) -> Text | None:
    match name, arguments:
        case _, [str(one), *_] if name in _SINGLE:
            return Text(one)
        case _, [str(one), str(many), *_] if name in _PLURAL:
            return Text(one, many=many)
        case _, [str(context), str(one), *_] if name in _WITH_CONTEXT:
            return Text(one, context=context)
        case _, [str(one), *_] if name in _STORED:
            return Text(one, context=_STORED[name])
    return None


# What is called with a sentence for people: its first argument, or the keywords of a form's field.
_SHOWN = {"Rejected", "ValidationError", "success", "add_error"}
_SHOWN |= {"HttpResponseBadRequest", "HttpResponseForbidden", "HttpResponseNotFound"}
_NAMES = {"DashScope (Qwen)", "llama.cpp"}
_SHOWN_KEYWORDS = {"label", "help_text", "empty_label"}


def unmarked(source: str) -> Iterator[tuple[int, str]]:
    """Sentences for people without a mark: their line and themselves."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            sentences = node.args[-1:] if called(node) in _SHOWN else []
            named = [k.value for k in node.keywords if k.arg in _SHOWN_KEYWORDS]
            for sentence in (*sentences, *named):
                if words := _words(sentence):
                    yield sentence.lineno, words


def _words(node: ast.expr) -> str:
    """The words of a literal, if it has two of them."""
    if isinstance(node, ast.JoinedStr):
        literal = " ".join(_constant(part) or "" for part in node.values)
    else:
        literal = _constant(node) or ""
    is_text = len(re.findall(r"[A-Za-z]{2,}", literal)) > 1 and literal not in _NAMES
    return literal if is_text else ""
