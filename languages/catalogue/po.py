"""`.po` files. Ours have no line numbers and no dates, are sorted, and keep a text on one line."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from languages.catalogue.texts import Text

Catalogue = dict[Text, str]

HEADER = """\
# 简体中文. Terms and tone: docs/translations.md. `python -m languages` keeps this file in order.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: zh_Hans\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"
"""
_KEYWORD = re.compile(r'^(msgctxt|msgid|msgid_plural|msgstr|msgstr\[0\]) (".*")$')


def read(file: Path) -> Catalogue:
    """The entries of a file but for its header; none if there is no file. Raises ValueError."""
    if not file.exists():
        return {}
    entries = (_entry(block) for block in file.read_text(encoding="utf-8").split("\n\n"))
    return {text: translation for text, translation in entries if text.one}


def _entry(block: str) -> tuple[Text, str]:
    fields: dict[str, str] = {}
    keyword = ""
    for line in block.splitlines():
        if line.startswith('"') and keyword:
            fields[keyword] += ast.literal_eval(line)
        elif match := _KEYWORD.match(line):
            keyword = match[1]
            fields[keyword] = ast.literal_eval(match[2])
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"This line is not understood: {line}")
    text = Text(fields.get("msgid", ""), fields.get("msgctxt", ""), fields.get("msgid_plural", ""))
    return text, fields.get("msgstr[0]", fields.get("msgstr", ""))


def write(file: Path, entries: Catalogue) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    blocks = [HEADER, *(_block(text, entries[text]) for text in sorted(entries))]
    file.write_text("\n".join(blocks), encoding="utf-8")


def _block(text: Text, translation: str) -> str:
    lines = ["#, python-format"] if "%(" in text.one + text.many else []
    if text.context:
        lines.append(f"msgctxt {_quoted(text.context)}")
    lines.append(f"msgid {_quoted(text.one)}")
    if text.many:
        lines.append(f"msgid_plural {_quoted(text.many)}")
    lines.append(f"msgstr{'[0]' if text.many else ''} {_quoted(translation)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    for character, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(character, escaped)
    return f'"{text}"'


def merged(texts: Iterable[Text], old: Catalogue) -> Catalogue:
    """The texts of the sources with the translations that there are. Texts that no source has any
    more are dropped: a history is in the repository."""
    known = {text.key: translation for text, translation in old.items()}
    one_by_key: dict[tuple[str, str], Text] = {}
    for text in texts:
        other = one_by_key.get(text.key)
        one_by_key[text.key] = text if other is None or text.many else other
    return {text: known.get(key, "") for key, text in one_by_key.items()}
