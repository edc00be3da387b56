"""What is wrong with a catalogue or with the sources, as lines for people."""

from collections.abc import Iterator

from languages.catalogue import templates
from languages.catalogue.po import Catalogue
from languages.catalogue.texts import ROOT, Text, Unmarked, places, template_files


def in_catalogue(entries: Catalogue) -> Iterator[str]:
    for text, translation in sorted(entries.items()):
        if not translation:
            yield f"no translation: {text.one!r}"
        elif places(translation) not in _places(text):
            yield f"other placeholders than in English: {text.one!r} → {translation!r}"
        elif _has_lone_percent(translation) and not _has_lone_percent(text.one):
            yield f"a per cent sign that is not doubled: {text.one!r} → {translation!r}"


def _places(text: Text) -> set[frozenset[str]]:
    """What a translation may name: the values of either form, since Chinese has one."""
    return {places(text.one), places(text.many)} if text.many else {places(text.one)}


def _has_lone_percent(text: str) -> bool:
    """In a text with places that Python fills, a sign of its own has to be doubled."""
    return bool(places(text)) and "%" in text.replace("%%", "").replace("%(", "")


def in_templates() -> Iterator[Unmarked]:
    for file in template_files():
        for line, words in templates.unmarked(file.read_text(encoding="utf-8")):
            yield Unmarked(str(file.relative_to(ROOT)), line, words)
