"""Prompt templates as JSON, out and in.

    {"roundtrip": {"prompts": 1}, "prompts": [{"name": "…", "description": "…", "text": "…"}, …]}

All of a file are imported, or none.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from chat import storage
from chat.errors import Rejected
from chat.models import PromptTemplate
from chat.prompts.forms import clean_name
from db.fields import storable
from languages.later import later
from limits.chat import MAX_IMPORTED_PROMPTS, MAX_PROMPT_TEMPLATE

VERSION = 1
LENGTHS = {"name": 80, "description": 300, "text": MAX_PROMPT_TEMPLATE}
LABELS = {"name": later("name"), "description": later("description"), "text": later("text")}


def exported(templates: Iterable[PromptTemplate]) -> dict[str, Any]:
    rows = [{key: getattr(template, key) for key in LENGTHS} for template in templates]
    return {"roundtrip": {"prompts": VERSION}, "prompts": rows}


def import_templates(text: str, user: User) -> list[PromptTemplate]:
    """Stores the templates of the text as the user's own; a taken name gets a number. Raises
    `Rejected`."""
    templates = [_template(row, number, user) for number, row in enumerate(_loaded(text), 1)]
    storage.check_upload(user.pk, sum(len(one.text) for one in templates))
    names = [one.name for one in templates]
    try:
        return _stored(templates, names, user)
    except IntegrityError:  # another request has taken a name meanwhile
        return _stored(templates, names, user)


def _stored(
    templates: list[PromptTemplate], names: Sequence[str], user: User
) -> list[PromptTemplate]:
    with transaction.atomic():
        taken = set(PromptTemplate.objects.filter(owner=user).values_list("name", flat=True))
        for template, name in zip(templates, names, strict=True):
            template.name = _free(name, taken)
            taken.add(template.name)
        return PromptTemplate.objects.bulk_create(templates)


def _loaded(text: str) -> list[Any]:
    if not text.strip():
        raise Rejected(_("Nothing to import. Choose the file, or paste its text."))
    try:
        written = json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        place = {"line": error.lineno, "column": error.colno, "problem": error.msg}
        sentence = _("Line %(line)s, column %(column)s: this is not JSON (%(problem)s).")
        raise Rejected(sentence % place) from None
    except (ValueError, RecursionError):
        raise Rejected(_("This is not JSON that can be read.")) from None
    known = written if isinstance(written, dict) else {}
    marked = known.get("roundtrip")
    version = marked.get("prompts") if isinstance(marked, dict) else None
    rows = known.get("prompts")
    if version != VERSION or not isinstance(rows, list):
        raise Rejected(_("This is no file of prompts as Export writes it."))
    if len(rows) > MAX_IMPORTED_PROMPTS:
        sentence = _("The file has %(count)s prompts; the limit is %(most)s. Import a part of it.")
        raise Rejected(sentence % {"count": len(rows), "most": MAX_IMPORTED_PROMPTS})
    if not rows:
        raise Rejected(_("There are no prompts in this file."))
    return rows


def _template(row: Any, number: int, user: User) -> PromptTemplate:
    texts = {key: row.get(key, "") if isinstance(row, dict) else None for key in LENGTHS}
    values = {"number": number}
    for key, most in LENGTHS.items():
        text = texts[key]
        if not isinstance(text, str):
            raise Rejected(
                _("Prompt %(number)s of the file is not written as Export does.") % values
            )
        if len(text) > most:
            sentence = _(
                "Prompt %(number)s: its %(field)s has %(count)s characters; the limit is %(most)s."
            )
            counts = {"field": LABELS[key], "count": f"{len(text):,}", "most": f"{most:,}"}
            raise Rejected(sentence % {**values, **counts})
        texts[key] = storable(text)
    name, text = clean_name(str(texts["name"])), str(texts["text"])
    if not name or not text.strip():
        raise Rejected(_("Prompt %(number)s has no name or no text.") % values)
    description = " ".join(str(texts["description"]).split())
    return PromptTemplate(owner=user, name=name, description=description, text=text)


def _free(name: str, taken: set[str]) -> str:
    chosen, number = name, 2
    while chosen in taken:
        suffix = f" {number}"
        chosen, number = name[: LENGTHS["name"] - len(suffix)] + suffix, number + 1
    return chosen
