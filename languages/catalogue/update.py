from collections.abc import Iterator
from pathlib import Path

from languages.catalogue import columns, compiled, javascript, po, python, shipped, templates
from languages.catalogue.texts import (
    LANGUAGE,
    LOCALE,
    ROOT,
    Text,
    javascript_files,
    model_files,
    python_files,
    skill_files,
    template_files,
    tool_files,
)

FOLDER = ROOT / "locale" / LOCALE / "LC_MESSAGES"
PAGES, SCRIPTS = FOLDER / "django.po", FOLDER / "djangojs.po"
COMPILED_PAGES = PAGES.with_suffix(".mo")
COMPILED_SCRIPTS = ROOT / "static" / "js" / "locale" / f"{LANGUAGE}.js"


def page_texts() -> Iterator[Text]:
    for file in template_files():
        yield from templates.texts(file.read_text(encoding="utf-8"))
    for file in python_files():
        yield from python.texts(file.read_text(encoding="utf-8"))
    for file in tool_files():
        yield from shipped.of_tools(file.read_text(encoding="utf-8"))
    for file in skill_files():
        yield from shipped.of_skill(file.read_text(encoding="utf-8"))
    yield from columns.texts(file.read_text(encoding="utf-8") for file in model_files())


def script_texts() -> Iterator[Text]:
    for file in javascript_files():
        yield from javascript.texts(file.read_text(encoding="utf-8"))


def catalogues() -> dict[Path, po.Catalogue]:
    """The entries that each `.po` file is to have, with the translations that it has."""
    sources = {PAGES: page_texts, SCRIPTS: script_texts}
    return {file: po.merged(texts(), po.read(file)) for file, texts in sources.items()}


def write(entries: dict[Path, po.Catalogue]) -> None:
    for file, catalogue in entries.items():
        po.write(file, catalogue)
    COMPILED_PAGES.write_bytes(compiled.mo(entries[PAGES]))
    COMPILED_SCRIPTS.write_text(compiled.script(entries[SCRIPTS]), encoding="utf-8")
