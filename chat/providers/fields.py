"""Form fields for a model's settings."""

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from chat.llm.json_text import parse_json


class StopSequencesField(forms.CharField):
    r"""A list of texts, one per line; `\n` is a line break within a text."""

    widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(_escaped, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        lines = (super().to_python(value) or "").splitlines()
        return [_unescaped(line) for line in lines if line]


class JSONObjectField(forms.CharField):
    """A JSON object as text; empty text is the empty object."""

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
            parsed = parse_json(text)
        except ValueError as error:
            raise ValidationError(
                gettext("This is not JSON: %(error)s.") % {"error": error}
            ) from error
        if not isinstance(parsed, dict):
            raise ValidationError(gettext('Enter a JSON object, such as {"top_k": 20}.'))
        return parsed


def pretty(value: dict[str, Any]) -> str:
    """Indented JSON text that can be encoded as UTF-8."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=2)
    return text


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _unescaped(line: str) -> str:
    # A doubled backslash is a literal one. NUL, which nobody can type, stands for it meanwhile.
    return line.replace("\\\\", "\x00").replace("\\n", "\n").replace("\x00", "\\")
