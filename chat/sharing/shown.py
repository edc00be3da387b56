"""A document as view models, with the HTML of its texts. The preview and the page of a link are
made of the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.safestring import SafeString

from chat.markdown import Citation, Citations, render
from chat.presentation import values
from chat.presentation.attempts import CUT_NOTES, EMPTY_NOTE
from chat.presentation.calls import STATES, brief, outcome
from chat.presentation.sources import cited, listed
from chat.presentation.values import Value
from chat.sharing.shapes import (
    SharedAttachment,
    SharedCall,
    SharedDocument,
    SharedMessage,
    SharedRound,
    SharedTurn,
    StageText,
)
from chat.sharing.traces import STAGES, WITHHELD
from limits.chat import (
    MAX_PREVIEW_CHARACTERS,
    MAX_UNFOLDED_CHARACTERS,
    MAX_UNFOLDED_LINES,
)
from tracing.formatting.text import visible


@dataclass(frozen=True)
class MessageView:
    """A message of a person; a long one is folded to `preview`."""

    key: str
    text: str
    preview: str
    attachments: Sequence[SharedAttachment]
    is_hidden: bool


@dataclass(frozen=True)
class CallView:
    call: SharedCall
    server: str
    tool: str
    word: str
    icon: str
    brief: str
    outcome: str
    arguments: Value
    result: Value | None
    # The turns of its subagent.
    nested: "Sequence[TurnView]"


@dataclass(frozen=True)
class RoundView:
    round: SharedRound
    html: SafeString
    reasoning: str
    refusal: str
    notes: Sequence[Any]
    calls: Sequence[CallView]
    put_in: Sequence[MessageView]


@dataclass(frozen=True)
class TurnView:
    """`number`: of the turn in the branch, from 1."""

    number: int
    turn: SharedTurn
    question: MessageView | None
    rounds: Sequence[RoundView]
    put_in: Sequence[MessageView]
    sources: Sequence[Citation]
    error: str
    model: str
    asked: datetime | None

    @property
    def is_open(self) -> bool:
        return self.turn["status"] in ("queued", "streaming", "waiting")


@dataclass(frozen=True)
class StageView:
    name: str
    texts: Sequence[StageText]
    # Of the messages, those that the round before had too.
    unchanged: int
    tools: Sequence[StageText]
    rest: str
    withheld: Any


@dataclass(frozen=True)
class TraceRoundView:
    round: Any
    stages: Sequence[StageView]


def turn_views(shared: SharedDocument, turns: slice = slice(None)) -> list[TurnView]:
    """Of the turns at these places of the document."""
    first = shared["first"] + (turns.start or 0)
    return [_turn(number, one) for number, one in enumerate(shared["turns"][turns], first)]


def _turn(number: int, turn: SharedTurn) -> TurnView:
    results = list(_results(turn))
    citations = cited(body for _, body in results)
    return TurnView(
        number=number,
        turn=turn,
        question=_message(turn["question"]) if turn["question"] else None,
        rounds=[_round(one, citations) for one in turn["rounds"]],
        put_in=[_message(one) for one in turn["put_in"]],
        sources=listed(results),
        error=visible(turn["error"]),
        model=visible(turn["model"]),
        asked=parse_datetime(turn["asked"]),
    )


def _results(turn: SharedTurn) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tool of each call, with the text and the sources of its result."""
    for one in turn["rounds"]:
        for call in one["calls"]:
            body = {"content": call["result"] or "", "sources": call.get("sources")}
            yield call["tool"], body


def _message(message: SharedMessage) -> MessageView:
    text = visible(message["text"])
    is_long = len(text) > MAX_UNFOLDED_CHARACTERS or text.count("\n") >= MAX_UNFOLDED_LINES
    lines = text[:MAX_PREVIEW_CHARACTERS].split("\n")[:MAX_UNFOLDED_LINES] if is_long else []
    attachments = [
        SharedAttachment(**{**one, "name": visible(one["name"])}) for one in message["attachments"]
    ]
    return MessageView(message["key"], text, "\n".join(lines), attachments, message["is_hidden"])


def _round(one: SharedRound, citations: Citations) -> RoundView:
    return RoundView(
        round=one,
        html=render(one["text"], citations),
        reasoning=visible(one["reasoning"]),
        refusal=visible(one["refusal"]),
        notes=[_note(note) for note in one["notes"]],
        calls=[_call(call) for call in one["calls"]],
        put_in=[_message(message) for message in one["put_in"]],
    )


def _note(note: str) -> Any:
    code = note.removeprefix("note:") if note.startswith("note:") else ""
    if not code:
        return note
    return CUT_NOTES.get(code, EMPTY_NOTE)


def _call(call: SharedCall) -> CallView:
    word, icon = STATES[call["state"]]
    arguments = call["arguments"] if call["arguments"].strip() != "{}" else ""
    result = call["result"]
    return CallView(
        call=call,
        server=visible(call["server"]),
        tool=visible(call["tool"]),
        word=word,
        icon=icon,
        brief=brief(arguments) if arguments else "",
        outcome=outcome(result, call["is_error"]),
        arguments=replace(values.value(arguments), note=""),
        result=replace(values.value(result), note="") if result is not None else None,
        nested=[_turn(0, one) for one in call.get("nested", [])],
    )


def trace_views(shared: SharedDocument, place: int) -> list[TraceRoundView]:
    """The rounds of the turn at this place of the document."""
    texts = shared["texts"]
    views: list[TraceRoundView] = []
    before: dict[str, list[int]] = {}
    for one in shared["turns"][place]["trace"] or ():
        stages = []
        for name in STAGES:
            stage = one["stages"][name]
            unchanged = _common(before.get(name, []), stage["messages"])
            stages.append(
                StageView(
                    name,
                    [texts[at] for at in stage["messages"][unchanged:]],
                    unchanged,
                    [texts[at] for at in stage["tools"]],
                    visible(stage["rest"]),
                    WITHHELD.get(stage["withheld"], ""),
                )
            )
            before[name] = stage["messages"] if name in ("input", "request") else []
        views.append(TraceRoundView(one, stages))
    return views


def _common(before: Sequence[int], now: Sequence[int]) -> int:
    """The length of the common beginning."""
    pairs = zip(before, now, strict=False)
    return next(
        (at for at, (old, new) in enumerate(pairs) if old != new), min(len(before), len(now))
    )
