"""The answer of a turn as a response: the object, or the typed events of a stream."""

import json
from typing import Any

from api.models import ProgramTurn
from api.openai.chat_answer import WAITING, shown
from api.openai.errors import OpenAIError
from api.openai.following import Ended, Part, Text
from api.openai.outcome import Outcome
from api.openai.response_request import response_id
from chat.models import Turn

Item = dict[str, Any]
STATUSES = {
    Turn.Status.QUEUED: "queued",
    Turn.Status.STREAMING: "in_progress",
    Turn.Status.WAITING: "in_progress",
    Turn.Status.DONE: "completed",
    Turn.Status.FAILED: "failed",
    Turn.Status.STOPPED: "cancelled",
}
NOTHING = Outcome(str(Turn.Status.STREAMING))


def document(turn: Turn, row: ProgramTurn, outcome: Outcome) -> dict[str, Any]:
    """The object `response`."""
    echo = row.kept.get("echo") or {}
    status = STATUSES[Turn.Status(outcome.status)]
    is_cut = status == "completed" and outcome.finish_reason in ("length", "content_filter")
    reason = "max_output_tokens" if outcome.finish_reason == "length" else outcome.finish_reason
    found = {
        "id": response_id(turn.public_id),
        "object": "response",
        "created_at": int(turn.created.timestamp()),
        "completed_at": int(turn.ended.timestamp()) if turn.ended else None,
        "status": "incomplete" if is_cut else status,
        "background": None,
        "error": _error(outcome),
        "incomplete_details": {"reason": reason} if is_cut else None,
        "model": row.model,
        "output": items(turn, outcome),
        "metadata": row.kept.get("metadata") or {},
        "store": row.is_stored,
        "truncation": "auto",
        "usage": _usage(outcome) if outcome.is_over else None,
        **_echoed(echo),
        **{name: row.kept[name] for name in ("user", "safety_identifier") if name in row.kept},
    }
    if outcome.shown_calls:
        found["roundtrip"] = {"tools": shown(outcome.shown_calls)}
    return found


def items(turn: Turn, outcome: Outcome) -> list[Item]:
    """The message, and the calls that the client has to run."""
    found = [_message(turn, outcome)] if outcome.text or outcome.refusal else []
    return [*found, *_calls(turn, outcome)]


class ResponseStream:
    """The events of one response, encoded and numbered."""

    def __init__(self, turn: Turn, row: ProgramTurn) -> None:
        self._turn, self._row = turn, row
        self._number = 0
        self._text = ""

    def begin(self) -> bytes:
        response = document(self._turn, self._row, NOTHING)
        return b"".join(
            (
                self._event("response.created", response=response),
                self._event("response.in_progress", response=response),
            )
        )

    def part(self, part: Part) -> bytes:
        match part:
            case Text(text):
                return self._delta(text)
            case Ended(outcome):
                return self._end(outcome)
        return WAITING

    def error(self, error: OpenAIError) -> bytes:
        about = {"code": error.code, "message": error.message, "param": error.param}
        failed = Outcome(str(Turn.Status.FAILED), self._text, failure=error)
        response = document(self._turn, self._row, failed)
        return self._event("error", **about) + self._event("response.failed", response=response)

    def _delta(self, text: str) -> bytes:
        head = b"" if self._text else self._open()
        self._text += text
        at = {"item_id": _message_id(self._turn), "output_index": 0, "content_index": 0}
        return head + self._event("response.output_text.delta", **at, delta=text, logprobs=[])

    def _open(self) -> bytes:
        item = {**_message(self._turn, NOTHING), "status": "in_progress", "content": []}
        at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        added = self._event("response.output_item.added", output_index=0, item=item)
        return added + self._event("response.content_part.added", **at, part=_text_part(""))

    def _end(self, outcome: Outcome) -> bytes:
        events = []
        if self._text:
            events.append(self._close(outcome))
        elif outcome.refusal:
            item = _message(self._turn, outcome)
            events.append(self._event("response.output_item.added", output_index=0, item=item))
            events.append(self._event("response.output_item.done", output_index=0, item=item))
        first = 1 if events else 0
        for index, call in enumerate(_calls(self._turn, outcome), first):
            events.append(self._call(index, call))
        if outcome.failure is not None:
            return b"".join([*events, self.error(outcome.failure)])
        response = document(self._turn, self._row, outcome)
        return b"".join([*events, self._event(f"response.{response['status']}", response=response)])

    def _close(self, outcome: Outcome) -> bytes:
        item = _message(self._turn, Outcome(outcome.status, self._text))
        at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        return b"".join(
            (
                self._event("response.output_text.done", **at, text=self._text, logprobs=[]),
                self._event("response.content_part.done", **at, part=_text_part(self._text)),
                self._event("response.output_item.done", output_index=0, item=item),
            )
        )

    def _call(self, index: int, item: Item) -> bytes:
        at = {"item_id": item["id"], "output_index": index}
        arguments = item["arguments"]
        begun = {**item, "status": "in_progress", "arguments": ""}
        done = {"name": item["name"], "arguments": arguments}
        return b"".join(
            (
                self._event("response.output_item.added", output_index=index, item=begun),
                self._event("response.function_call_arguments.delta", **at, delta=arguments),
                self._event("response.function_call_arguments.done", **at, **done),
                self._event("response.output_item.done", output_index=index, item=item),
            )
        )

    def _event(self, kind: str, **fields: Any) -> bytes:
        event = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        written = json.dumps(event, separators=(",", ":")).encode()
        return b"event: %b\ndata: %b\n\n" % (kind.encode(), written)


def _message_id(turn: Turn) -> str:
    return f"msg_{turn.public_id.hex}"


def _message(turn: Turn, outcome: Outcome) -> Item:
    parts: list[Item] = [_text_part(outcome.text)] if outcome.text else []
    if outcome.refusal:
        parts.append({"type": "refusal", "refusal": outcome.refusal})
    return {
        "id": _message_id(turn),
        "type": "message",
        "role": "assistant",
        "status": "completed" if outcome.status == Turn.Status.DONE else "incomplete",
        "content": parts,
    }


def _calls(turn: Turn, outcome: Outcome) -> list[Item]:
    return [
        {
            "id": f"fc_{turn.public_id.hex}_{number}",
            "type": "function_call",
            "status": "completed",
            "call_id": call["id"],
            "name": call["function"]["name"],
            "arguments": call["function"]["arguments"],
        }
        for number, call in enumerate(outcome.calls)
    ]


def _text_part(text: str) -> Item:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _usage(outcome: Outcome) -> dict[str, Any]:
    return {
        "input_tokens": outcome.tokens_in,
        "input_tokens_details": {"cached_tokens": outcome.cached},
        "output_tokens": outcome.tokens_out,
        "output_tokens_details": {"reasoning_tokens": outcome.reasoned},
        "total_tokens": outcome.tokens_in + outcome.tokens_out,
    }


def _error(outcome: Outcome) -> dict[str, Any] | None:
    if outcome.failure is None or outcome.status != Turn.Status.FAILED:
        return None
    return {"code": outcome.failure.code or "server_error", "message": outcome.failure.message}


def _echoed(echo: dict[str, Any]) -> dict[str, Any]:
    return {
        "instructions": echo.get("instructions"),
        "max_output_tokens": echo.get("max_output_tokens"),
        "parallel_tool_calls": echo.get("parallel_tool_calls", True),
        "previous_response_id": echo.get("previous_response_id"),
        "reasoning": {"effort": (echo.get("reasoning") or {}).get("effort"), "summary": None},
        "temperature": echo.get("temperature"),
        "text": echo.get("text") or {"format": {"type": "text"}},
        "tool_choice": echo.get("tool_choice", "auto"),
        "tools": echo.get("tools") or [],
        "top_p": echo.get("top_p"),
    }
