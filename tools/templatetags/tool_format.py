"""How schemas and arguments look on the pages of servers."""

import json
from typing import Any

from django import template

from tools.results import Shown, shown

register = template.Library()


@register.filter
def pretty_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


@register.filter
def result_blocks(found: dict[str, Any]) -> list[Shown]:
    return shown(found)
