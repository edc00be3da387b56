"""Every text is translated, and the compiled files are those of the `.po` files."""

from languages.catalogue import compiled, po, problems, update


def test_every_text_has_a_translation_with_the_same_places() -> None:
    catalogues = update.catalogues().values()
    assert not [line for entries in catalogues for line in problems.in_catalogue(entries)]


def test_no_words_for_people_are_without_a_mark() -> None:
    assert not [str(words) for words in problems.in_sources()]


def test_the_po_files_are_as_the_command_writes_them() -> None:
    for file, entries in update.catalogues().items():
        assert po.read(file) == entries, "Run: python -m languages"


def test_the_compiled_files_are_those_of_the_po_files() -> None:
    pages, scripts = po.read(update.PAGES), po.read(update.SCRIPTS)
    assert update.COMPILED_PAGES.read_bytes() == compiled.mo(pages), "Run: python -m languages"
    assert update.COMPILED_SCRIPTS.read_text(encoding="utf-8") == compiled.script(scripts)
