"""What is wrong with a catalogue or with the sources, as lines for people."""

from collections.abc import Iterator

from languages.catalogue import javascript, python, templates
from languages.catalogue.po import Catalogue
from languages.catalogue.texts import (
    ROOT,
    Text,
    Unmarked,
    javascript_files,
    places,
    python_files,
    template_files,
)

FOR_OTHERS = {"models", "models.py", "schema_validation.py"}


def in_catalogue(entries: Catalogue) -> Iterator[str]:
    for text, translation in sorted(entries.items()):
        if not translation:
            yield f"no translation: {text.one!r}"
        elif not _has_places(text, translation):
            yield f"other placeholders than in English: {text.one!r} → {translation!r}"
        elif _has_lone_percent(translation) and not _has_lone_percent(text.one):
            yield f"a per cent sign that is not doubled: {text.one!r} → {translation!r}"


def _has_places(text: Text, translation: str) -> bool:
    """Chinese has one form for one and for many: it names what the plural names."""
    named, one, many = (places(words) for words in (translation, text.one, text.many))
    return many <= named <= one | many if text.many else named == one


def _has_lone_percent(text: str) -> bool:
    """In a text with places that Python fills, a sign of its own has to be doubled."""
    return bool(places(text)) and "%" in text.replace("%%", "").replace("%(", "")


def in_sources() -> Iterator[Unmarked]:
    """Words for people that no mark surrounds."""
    for files, unmarked in (
        (template_files(), templates.unmarked),
        # Help of columns is for the admin alone, and what a schema refuses for the model.
        ([f for f in python_files() if not FOR_OTHERS & set(f.parts)], python.unmarked),
        (javascript_files(), javascript.unmarked),
    ):
        for file in files:
            for line, words in unmarked(file.read_text(encoding="utf-8")):
                yield Unmarked(str(file.relative_to(ROOT)), line, words)
