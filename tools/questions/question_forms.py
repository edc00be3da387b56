"""The forms of elicitation: from the restricted schema that MCP allows to fields, and from what a
person filled in to an answer that fits it.

Source: Model Context Protocol, "Elicitation" (revisions 2025-06-18 to 2026-07-28): an object of
strings (with formats), numbers, integers, booleans, and choices of one or several strings.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, UnknownType, ValidationError, best_match

from languages.later import later
from limits.tools import MAX_FORM_ANSWER, MAX_FORM_CHOICES, MAX_FORM_FIELDS

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_FORMATS = ("email", "uri", "date", "date-time")


@dataclass(frozen=True)
class Choice:
    value: str
    title: str
    chosen: bool = False


@dataclass(frozen=True)
class Field:
    """One field. `kind` is text, number, integer, boolean, one (of `choices`) or many."""

    name: str
    kind: str
    title: str
    description: str = ""
    required: bool = False
    format: str = ""
    default: Any = None
    least: Any = None
    most: Any = None
    choices: Sequence[Choice] = field(default_factory=tuple)

    @property
    def hint(self) -> str:
        """A sentence about the values that fit."""
        noun = {"text": "characters", "many": "choices"}.get(self.kind, "")
        if self.kind not in ("text", "number", "integer", "many"):
            return ""
        if self.least is not None and self.most is not None:
            words = gettext("%(least)s to %(most)s %(noun)s") % {
                "least": self.least,
                "most": self.most,
                "noun": noun,
            }
        elif self.least is not None:
            words = gettext("at least %(least)s %(noun)s") % {"least": self.least, "noun": noun}
        elif self.most is not None:
            words = gettext("at most %(most)s %(noun)s") % {"most": self.most, "noun": noun}
        else:
            words = {"date-time": "2026-01-31T18:30:00Z"}.get(self.format, "")
        return words.strip()


def fields(schema: Any) -> list[Field]:
    """The fields of a form, in their order; none if the schema is not a form."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return []
    listed = schema.get("required")
    required = listed if isinstance(listed, list) else []
    return [
        _field(str(name), about if isinstance(about, dict) else {}, name in required)
        for name, about in list(properties.items())[:MAX_FORM_FIELDS]
    ]


def check(schema: Any, content: Any) -> dict[str, str]:
    """The problems of an answer, by field; `""` stands for the whole answer."""
    if not isinstance(content, dict):
        return {"": gettext("The answer must be an object.")}
    known = {one.name: one for one in fields(schema)}
    unknown = (name for name in content if name not in known)
    wrong = dict.fromkeys(unknown, gettext("The form has no such field."))
    for name, one in known.items():
        if name not in content:
            if one.required:
                wrong[name] = gettext("This field is required.")
        elif problem := _problem(schema["properties"][name], one, content[name]):
            wrong[name] = problem
    return wrong


def _problem(schema: Any, one: Field, value: Any) -> str:
    if isinstance(value, str) and len(value) > MAX_FORM_ANSWER:
        return gettext("At most %(most)s characters.") % {"most": f"{MAX_FORM_ANSWER:,}"}
    if isinstance(value, list) and len(value) > MAX_FORM_CHOICES:
        return gettext("At most %(most)s choices.") % {"most": f"{MAX_FORM_CHOICES:,}"}
    try:
        error = best_match(Draft202012Validator(_flat(schema)).iter_errors(value))
    except (SchemaError, UnknownType, TypeError, ValueError, RecursionError, AttributeError):
        error = None  # the server's schema is at fault, and it judges the answer itself
    if error is not None:
        return _sentence(error, one)
    return "" if _has_format(value, one.format) else _FORMAT_SENTENCES[one.format]


# The keywords that MCP's elicitation has. The others could hold the process for ever (`pattern`,
# `uniqueItems`, `$ref` in circles, anything nested): the server checks its own.
_FLAT = (
    *("type", "enum", "const", "minLength", "maxLength"),
    *("minimum", "maximum", "minItems", "maxItems"),
)
_CHOICES = ("oneOf", "anyOf")


def _flat(schema: Any) -> dict[str, Any]:
    """The part of a field's schema that is checked: no more than choices, and choices of an array's
    items, deep."""
    if not isinstance(schema, dict):
        return {}
    flat = _plain(schema)
    if isinstance(schema.get("items"), dict):
        flat["items"] = _plain(schema["items"])
    return flat


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    plain = {key: schema[key] for key in _FLAT if key in schema}
    for keyword in _CHOICES:
        if isinstance(schema.get(keyword), list):
            choices = [one for one in schema[keyword] if isinstance(one, dict)]
            values = [one["const"] for one in choices if "const" in one]
            plain |= {"enum": values} if values else {}
    enum = plain.get("enum")
    if isinstance(enum, list) and len(enum) > MAX_FORM_CHOICES:
        del plain["enum"]  # each is compared with each item; the server checks them
    return plain


_FORMAT_SENTENCES = {
    "email": later("Enter a valid e-mail address."),
    "uri": later("Enter a valid URL."),
    "date": later("Enter a date such as 2026-01-31."),
    "date-time": later("Enter a date and time such as 2026-01-31T18:30:00Z."),
}


def _has_format(value: Any, format_: str) -> bool:
    if not isinstance(value, str) or format_ not in _FORMATS:
        return True
    try:
        return bool(_CHECKS[format_](value))
    except ValueError:
        return False


_CHECKS: dict[str, Any] = {
    "email": lambda text: _EMAIL.fullmatch(text) is not None,
    "uri": lambda text: bool(urlsplit(text).scheme and not re.search(r"\s", text)),
    "date": lambda text: bool(date.fromisoformat(text)),
    "date-time": lambda text: datetime.fromisoformat(text).tzinfo is not None,
}


def _sentence(error: ValidationError, one: Field) -> str:
    match error.validator:
        case "type":
            wanted = {
                "integer": gettext("a whole number"),
                "number": "a number",
                "boolean": gettext("yes or no"),
            }
            return gettext("This must be %(text)s.") % {"text": wanted.get(one.kind, "a text")}
        case "enum" | "const" | "oneOf" | "anyOf":
            return gettext("Choose one of the values that are offered.")
        case "minLength" if one.least == 1:
            return gettext("This field is required.")
    return (
        gettext("This must be %(hint)s.") % {"hint": one.hint}
        if one.hint
        else str(error.message)[:300]
    )


def _field(name: str, about: dict[str, Any], required: bool) -> Field:
    kind, least, most = _kind(about)
    default = about.get("default")
    return Field(
        name=name,
        kind=kind,
        title=_text(about.get("title")) or name,
        description=_text(about.get("description")),
        required=required,
        format=str(about.get("format") or "") if kind == "text" else "",
        default=default,
        least=about.get(least) if least else None,
        most=about.get(most) if most else None,
        choices=_choices(about, kind, default),
    )


def _kind(about: dict[str, Any]) -> tuple[str, str, str]:
    """The kind, and which keywords bound it."""
    if "enum" in about or "oneOf" in about or "anyOf" in about:
        return "one", "", ""
    match about.get("type"):
        case "array":
            return "many", "minItems", "maxItems"
        case "boolean":
            return "boolean", "", ""
        case "integer" | "number" as kind:
            return str(kind), "minimum", "maximum"
    return "text", "minLength", "maxLength"


def _choices(about: dict[str, Any], kind: str, default: Any) -> tuple[Choice, ...]:
    source = about.get("items") if kind == "many" else about
    if kind not in ("one", "many") or not isinstance(source, dict):
        return ()
    chosen = default if isinstance(default, list) else [default]
    names = source.get("enumNames")
    titled = source.get("oneOf") or source.get("anyOf")
    if isinstance(titled, list):
        pairs = [(one.get("const"), one.get("title")) for one in titled if isinstance(one, dict)]
    else:
        listed = source.get("enum")
        values: list[Any] = listed if isinstance(listed, list) else []
        titles = names if isinstance(names, list) and len(names) == len(values) else values
        pairs = list(zip(values, titles, strict=True))
    return tuple(
        Choice(value, _text(title) or value, value in chosen)
        for value, title in pairs[:MAX_FORM_CHOICES]
        if isinstance(value, str)
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def defaults(schema: Any) -> dict[str, Any]:
    """The default values of a form."""
    return {one.name: one.default for one in fields(schema) if one.default is not None}
