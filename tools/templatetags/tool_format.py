"""How schemas and arguments look on the pages of servers."""

from typing import Any

from django import template

from tools.results.blocks import Shown, shown
from tracing.formatting.json_text import indented

register = template.Library()


@register.filter
def pretty_json(value: Any) -> str:
    return indented(value)


@register.filter
def result_blocks(found: dict[str, Any]) -> list[Shown]:
    return shown(found)
