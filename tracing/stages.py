"""The four stages of a generation as the page shows them."""

import json
from dataclasses import dataclass, field
from typing import Any

from django.utils.safestring import SafeString

from tracing import json_text, payloads
from tracing.entries import CallText, Entry, entry_of
from tracing.errors import PayloadCorrupt
from tracing.fields import dump_json
from tracing.journal import payloads_of
from tracing.models import Payload, Span, Trace
from tracing.replies import Reply, read_reply
from tracing.requests import Given, fold_unchanged, read_given
from tracing.text import Clip, clip, decode, visible

NAMES = ("input", "request", "response", "output")
# More of a body is not put into a page: all of its bytes are one link away.
MOST_BYTES = 200_000


@dataclass(frozen=True)
class Wish:
    """How stages are to be shown: as `messages` or `json`, and which of them unfolded."""

    view: str = "messages"
    unfold: str = ""


@dataclass(frozen=True)
class Said:
    """What the model said, in how many events, before anything of ours has looked for calls."""

    events: int
    content: Clip
    reasoning: Clip
    calls: list[CallText]


@dataclass
class Stage:
    """What a column shows: `given`, `reply` or `message` as messages, else `text`."""

    name: str
    payload: Payload | None = None
    problem: str = ""
    given: Given | None = None
    reply: Said | None = None
    message: Entry | None = None
    errors: list[str] = field(default_factory=list)
    text: Clip | None = None
    markup: SafeString | str = ""
    folded: bool = False


def read_stages(generation: Span, before: Span | None, wish: Wish) -> list[Stage]:
    """All four, with what changed since the generation `before`."""
    stored = payloads_of([generation, *([before] if before else [])])
    stages = []
    for name in NAMES:
        earlier = stored.get((before.pk, name)) if before else None
        stages.append(_read(name, stored.get((generation.pk, name)), earlier, wish))
    return stages


def generation_before(trace: Trace, number: int) -> Span | None:
    """The last generation before this round: of the round before, or of the turn before."""
    generations = Span.objects.filter(kind=Span.Kind.GENERATION).order_by("-id")
    found = generations.filter(trace=trace, parent__number__lt=number).first()
    if found is not None:
        return found
    turns = Trace.objects.filter(archive_id=trace.archive_id, pk__lt=trace.pk)
    earlier = turns.order_by("-pk").first()
    return generations.filter(trace=earlier).first() if earlier else None


def _read(name: str, payload: Payload | None, before: Payload | None, wish: Wish) -> Stage:
    stage = Stage(name, payload)
    if payload is None:
        return stage
    try:
        unfold = wish.unfold == name
        if wish.view == "json":
            _read_as_json(stage, payload, before, unfold)
        else:
            _read_as_messages(stage, payload, before, unfold)
        if not (stage.given or stage.reply or stage.message or stage.text):
            _read_as_text(stage, payload)
    except PayloadCorrupt as error:
        stage.problem = error.reason
    return stage


def _read_as_messages(stage: Stage, payload: Payload, before: Payload | None, unfold: bool) -> None:
    if stage.name == "response":
        stage.reply = _said(read_reply(payloads.load(payload)))
    elif stage.name == "output":
        _read_output(stage, payloads.load(payload))
    else:
        stage.given = read_given(payload, before, unfold)


def _said(reply: Reply) -> Said | None:
    if not reply.says_something:
        return None
    return Said(
        events=reply.events,
        content=clip(reply.content, MOST_BYTES),
        reasoning=clip(reply.reasoning, MOST_BYTES),
        calls=[
            CallText(visible(call["name"]) or "?", clip(call["arguments"], MOST_BYTES))
            for call in reply.calls.values()
        ],
    )


def _read_output(stage: Stage, body: bytes) -> None:
    try:
        output = json.loads(body)
        stage.message = entry_of(output["message"], 0, "", len(body))
        stage.errors = [_sentence(error) for error in output.get("errors") or ()]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        stage.message = None


def _sentence(error: Any) -> str:
    return clip(error if isinstance(error, str) else dump_json(error), 2_000).text


def _read_as_json(stage: Stage, payload: Payload, before: Payload | None, unfold: bool) -> None:
    """The JSON of a request, messages that are as they were left out."""
    body = None if unfold or before is None else fold_unchanged(payload, before)
    if body is not None:
        stage.folded = True
        stage.text = decode(body, MOST_BYTES)
        stage.markup = json_text.pretty(stage.text.text)


def _read_as_text(stage: Stage, payload: Payload) -> None:
    stage.text = decode(payloads.load(payload), MOST_BYTES)
    if stage.text.hidden or json_text.is_json(stage.text.text):
        stage.markup = json_text.pretty(stage.text.text)
