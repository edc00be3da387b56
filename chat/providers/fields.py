"""Form fields of the model's settings that Django does not have."""

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from chat.llm.json_text import parse_json


class StopsField(forms.CharField):
    r"""A list of texts, one a line; a line break within one is written as `\n`."""

    widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(_escaped, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        lines = (super().to_python(value) or "").splitlines()
        return [_unescaped(line) for line in lines if line]


class JSONObjectField(forms.CharField):
    """A JSON object as it is written; the empty text is the empty object."""

    widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return pretty(value) if value else ""

    def to_python(self, value: Any) -> Any:
        text = (super().to_python(value) or "").strip()
        if not text:
            return {}
        try:
            found = parse_json(text)
        except ValueError as error:
            raise ValidationError(f"This is not JSON: {error}.") from error
        if not isinstance(found, dict):
            raise ValidationError('Enter a JSON object, such as {"top_k": 20}.')
        return found


def pretty(value: dict[str, Any]) -> str:
    """JSON for people to read and change, that a page can carry."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=2)
    return text


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _unescaped(line: str) -> str:
    # A backslash that is meant is doubled; the mark in between is no character that can be typed.
    return line.replace("\\\\", "\x00").replace("\\n", "\n").replace("\x00", "\\")
