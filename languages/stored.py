"""Sentences that are stored, or sent to everybody who follows a conversation.

Whoever writes one does not know who will read it, so it is kept in English, with its values in it.
`shown` translates it for a reader: by the catalogue, whose entries of the context `stored` are the
sentences with places for values. Old rows need no migration, and other programs read English.
"""

import re
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
    for pattern, text in _patterns(language):
        if match := pattern.fullmatch(sentence):
            values = match.groupdict()
            return text % {k: _translated(language, v, depth + 1) for k, v in values.items()}
    return ""


def _by_sentences(language: str, text: str, depth: int) -> str:
    """Several sentences that were stored as one text, each by itself."""
    parts = _BETWEEN_SENTENCES.split(text)
    if len(parts) == 1:
        return text
    return " ".join(_translated(language, part, depth + 1) for part in parts)


@lru_cache(maxsize=8)
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """The sentences with values, those with the most words of their own first."""
    prefix = CONTEXT + CONTEXT_SEPARATOR
    entries: Any = translation(language)._catalog  # type: ignore[attr-defined]  # Django's own
    sentences = [
        (key.removeprefix(prefix), text)
        for key, text in entries.items()
        if isinstance(key, str) and key.startswith(prefix) and PLACE.search(key)
    ]
    sentences.sort(key=lambda entry: (-len(PLACE.sub("", entry[0])), entry[0]))
    return [(_pattern(sentence), text) for sentence, text in sentences]


def _pattern(sentence: str) -> re.Pattern[str]:
    parts, end, names = [], 0, set()
    for place in PLACE.finditer(sentence):
        parts.append(re.escape(sentence[end : place.start()].replace("%%", "%")))
        name = place[1]
        parts.append(f"(?P={name})" if name in names else f"(?P<{name}>.*?)")
        names.add(name)
        end = place.end()
    parts.append(re.escape(sentence[end:].replace("%%", "%")))
    return re.compile("".join(parts), re.DOTALL)
