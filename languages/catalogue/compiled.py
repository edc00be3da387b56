"""The files that the product reads, made from the `.po` files."""

import json
import struct

from languages.catalogue.po import Catalogue

_MAGIC = 0x950412DE
_HEADER_BYTES = 28
_MO_HEADER = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=1; plural=0;\n"


def mo(entries: Catalogue) -> bytes:
    """A `.mo` file (GNU gettext manual, 10.3), without its optional hash table."""
    messages = {b"": _MO_HEADER.encode()}
    for text, translation in entries.items():
        if translation:
            key = f"{text.context}\4{text.one}" if text.context else text.one
            key += f"\0{text.many}" if text.many else ""
            messages[key.encode()] = translation.encode()
    keys = sorted(messages)
    count = len(keys)
    place = _HEADER_BYTES + 16 * count
    tables, strings = [], []
    for string in (*keys, *(messages[key] for key in keys)):
        tables.append(struct.pack("<II", len(string), place))
        strings.append(string + b"\0")
        place += len(string) + 1
    head = (_MAGIC, 0, count, _HEADER_BYTES, _HEADER_BYTES + 8 * count, 0, place)
    return struct.pack("<7I", *head) + b"".join(tables) + b"".join(strings)


def script(entries: Catalogue) -> str:
    """The texts of scripts as a classic script, which runs before the page's modules."""
    texts = {text.one: translation for text, translation in entries.items() if translation}
    body = json.dumps(dict(sorted(texts.items())), ensure_ascii=False, indent=0)
    return f"// Made by `python -m languages`.\nglobalThis.roundtripCatalogue = {body};\n"
