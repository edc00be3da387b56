"""Template tags and filters of the trace pages: addresses, figures, states, texts."""

from collections.abc import Iterable
from datetime import timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django import template
from django.conf import settings
from django.template.context import Context
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from languages.later import later
from tracing.formatting.figures import duration, size
from tracing.formatting.json_text import with_lines
from tracing.formatting.text import visible as make_visible
from tracing.formatting.text import with_full_stop
from tracing.page.timeline.tree import Line
from tracing.page.timeline.waterfall import Bar
from tracing.page.view_options import NAMES, VIEWS

register = template.Library()
register.filter("duration", duration)
register.filter("size", size)

_ICONS = {
    "running": "running",
    "sent": "running",
    "succeeded": "done",
    "failed": "failed",
    "stopped": "stopped",
    "cancelled": "stopped",
    "superseded": "refresh",
    "proposed": "clock",
    "approved": "clock",
    "awaiting_approval": "waiting",
    "waiting": "waiting",
    "denied": "denied",
    "outcome_unknown": "unknown",
}
_TITLES = {
    ("", "messages"): later("messages"),
    ("", "beside"): later("beside the input"),
    ("", "json"): "JSON",
    ("", "raw"): later("bytes"),
    ("", "prompt"): later("as prompt"),
    ("", "chunks"): later("chunks"),
    ("response", "messages"): later("text"),
    ("output", "messages"): later("message"),
}
_WORDS = {
    "running": later("running"),
    "succeeded": later("done"),
    "failed": later("failed"),
    "stopped": later("stopped"),
    "cancelled": later("cancelled"),
    "superseded": later("superseded"),
    "proposed": later("proposed"),
    "awaiting_approval": later("awaiting approval"),
    "approved": later("queued"),
    "denied": later("denied"),
    "sent": later("running"),
    "waiting": later("waiting"),
    "outcome_unknown": later("outcome unknown"),
}
_STAGES = {
    "input": later("input"),
    "request": later("request"),
    "response": later("response"),
    "output": later("output"),
}


@register.simple_tag(takes_context=True)
def place(context: Context, **changes: Any) -> str:
    """The query of the page with changes: `{% place view="json" %}`."""
    query: str = context["here"].place(**changes)
    return query


@register.simple_tag(takes_context=True)
def place_part(context: Context, number: int) -> str:
    """The query of another part of the payload in the reader."""
    reader = context["reader"]
    if "here" in context:
        return str(context["here"].place(part=number, find=reader.find))
    parameters = {"part": number, "find": reader.find, "hex": "1" if reader.is_hex else ""}
    return "?" + urlencode({name: value for name, value in parameters.items() if value})


@register.simple_tag(takes_context=True)
def place_raw(context: Context, stage: str, byte: int) -> str:
    """The query of a stage's bytes, opened at this byte."""
    return str(context["here"].place(**{stage: "raw", "byte": byte}))


@register.simple_tag(takes_context=True)
def place_against(context: Context, number: int, attempt: int) -> str:
    """The query of the page with an attempt of this turn as baseline."""
    return str(context["here"].place(against=f"{number}.{attempt}", turn=""))


@register.simple_tag(takes_context=True)
def place_page(context: Context, step: int) -> str:
    """The query of the next, or previous, page of messages."""
    here = context["here"]
    return str(here.place(page=here.options.page + step, unfold=here.options.unfold))


@register.simple_tag(takes_context=True)
def stage_views(context: Context) -> list[dict[str, str]]:
    """Views of the stage: name, title and query of each."""
    here, stage = context["here"], context["stage"].name
    return [
        {
            "name": view,
            "title": _TITLES.get((stage, view)) or _TITLES[("", view)],
            "place": here.place(**{stage: "" if view == here.options.view else view}),
        }
        for view in VIEWS[stage]
        if view != "prompt" or here.has_prompt
    ]


@register.simple_tag(takes_context=True)
def all_views(context: Context) -> list[dict[str, str]]:
    """Views of all stages, which replace those of single stages."""
    here, own = context["here"], dict.fromkeys(NAMES, "")
    return [
        {
            "name": view,
            "title": _TITLES[("", view)].title() if view != "json" else "JSON",
            "place": place,
        }
        for view, title in (
            ("messages", gettext("Messages")),
            ("json", "JSON"),
            ("raw", gettext("Bytes")),
        )
        if (place := here.place(**own, view="" if view == "messages" else view))
    ]


@register.filter
def markdown(text: str) -> str:
    """Sanitised HTML, by the function that `settings.TRACING_MARKDOWN` names."""
    html: str = import_string(settings.TRACING_MARKDOWN)(text)
    return html


@register.simple_tag(takes_context=True)
def place_fields(context: Context) -> list[tuple[str, str]]:
    """The query of the page as hidden fields of a form."""
    if "here" not in context:
        return []
    here = context["here"]
    opened = [("stage", here.options.opened)] if here.options.opened else []
    return [*parse_qsl(here.place()[1:]), *opened]


@register.filter
def json_lines(text: str, hidden: int = 0) -> SafeString | str:
    """JSON with the line breaks of its strings."""
    return with_lines(text, is_cut=bool(hidden))


@register.filter
def visible(text: Any) -> str:
    return make_visible(str(text))


@register.filter
def sentence(text: Any) -> str:
    """The text with one full stop at its end."""
    return with_full_stop(str(text))


@register.filter
def thousands(count: int | None) -> str:
    """Nothing for a count that is not known."""
    return "" if count is None else f"{count:,}"


@register.filter
def milliseconds(length: timedelta) -> int:
    return round(length.total_seconds() * 1000)


@register.filter
def exact_ms(ms: float) -> str:
    """Always in milliseconds, for columns of figures: `1,234.5 ms`."""
    return f"{ms:,.1f} ms"


@register.filter
def bar_rects(bars: Iterable[Bar]) -> SafeString:
    """The bars of a line of a waterfall. Written here because a page has hundreds; kinds are
    constants and positions numbers, so nothing has to be escaped."""
    return mark_safe(
        "".join(
            f'<rect class="bar bar-{bar.kind}" x="{bar.x}" y="0" width="{bar.width}" height="8">'
            "</rect>"
            for bar in bars
        )
    )


@register.filter
def growth(line: Line) -> SafeString | str:
    """The prompt of a round as a bar relative to the largest; written here like `bar_rects`."""
    if not line.prompt:
        return ""
    label = gettext("%(count)s tokens in") % {"count": f"{line.prompt:,}"}
    return mark_safe(
        '<svg class="growth" width="24" height="8" viewBox="0 0 1000 8" preserveAspectRatio="none"'
        f' role="img" aria-label="{label}"><title>{label}</title>'
        f'<rect x="0" y="0" width="{line.full}" height="8"></rect></svg>'
    )


@register.filter
def state_mark(status: str) -> SafeString:
    """The icon of a state, which says its word."""
    return _state_mark(status, state_word(status))


@lru_cache(maxsize=128)
def _state_mark(status: str, word: str) -> SafeString:
    """Cached, because a page has a hundred."""
    return format_html(
        '<span class="state" data-state="{status}" title="{word}"><svg class="icon icon-{icon}"'
        ' width="16" height="16" role="img" aria-label="{word}"><use href="{sprite}#{icon}"></use>'
        "</svg></span>",
        status=status,
        word=word,
        icon=state_icon(status),
        sprite=static("icons.svg"),
    )


@register.filter
def state_icon(status: str) -> str:
    return _ICONS.get(status, "unknown")


@register.filter
def state_word(status: str) -> str:
    return str(_WORDS.get(status, status.replace("_", " ")))


@register.filter
def stage_word(name: str) -> str:
    """The word for a stage; any other text as it is."""
    return str(_STAGES.get(name, name))
