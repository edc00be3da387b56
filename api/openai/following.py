"""The events of a turn, from the event log that the websocket has too.

A stream has no queue and no thread: it is a cursor into the feed of its conversation
(`chat.live.feed`), which moves on as the client reads.
"""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from api.openai.errors import INVALID, NO_RETRY, SERVER, OpenAIError
from api.openai.outcome import GAP, Outcome, read
from chat.commands.stop import stop_turn
from chat.events.log import EventId
from chat.live.feed import Feed, Lost
from chat.live.sockets import Sockets
from chat.models import Turn
from db.threads import from_loop
from limits.api import MAX_API_WAIT_FOR_PERSON_S
from tokens.access import usable_tokens
from tokens.models import Token

Event = dict[str, Any]
# How often the database is asked whether the token still counts, and, without events, for the end:
# a revoked token ends a stream within twice this time.
LOOK_INTERVAL_S = 2.5
CHANGED = (
    "The model's answer was cut and begun again, and differs from what was sent. Send the request "
    "again, or read the conversation."
)


@dataclass(frozen=True)
class Text:
    """More of the answer."""

    text: str


@dataclass(frozen=True)
class Reasoning:
    text: str


@dataclass(frozen=True)
class Waiting:
    """Nothing has come for `LOOK_INTERVAL_S`."""


@dataclass(frozen=True)
class Ended:
    """The last one: the rest of the text has been yielded."""

    outcome: Outcome


Part = Text | Reasoning | Waiting | Ended


class Following:
    """The log of a conversation, followed from `begin` to `close`."""

    def __init__(self, conversation: uuid.UUID) -> None:
        self._conversation = conversation
        self._hub = Sockets.of_this_process().hub
        self._more = asyncio.Event()
        self._wake = self._more.set
        self._cursor: EventId | None = None
        self._feed: Feed | None = None

    async def begin(self) -> None:
        """What is appended to the log from here on is found."""
        self._feed = await self._hub.follow(self._conversation, self._wake)
        self._cursor = self._feed.last

    def close(self) -> None:
        if self._feed is not None:
            self._hub.leave(self._feed, self._wake)

    async def events(self, seconds: float) -> list[Event]:
        """The next events; none if none came within these seconds. Some may be missing: `delta`
        says where it belongs, and the end is in the database too."""
        assert self._feed is not None
        deadline = time.monotonic() + seconds
        while True:
            self._more.clear()
            try:
                frames = await self._hub.after(self._feed, self._cursor)
            except Lost:
                self._cursor = self._feed.last
                frames = []
            if frames:
                self._cursor = frames[-1].id
                return [json.loads(frame.text) for frame in frames]
            try:
                async with asyncio.timeout(deadline - time.monotonic()):
                    await self._more.wait()
            except TimeoutError:
                await self._hub.refresh(self._feed)
                return []


class Answer:
    """The text of a turn's rounds as it was yielded, to which the events add."""

    def __init__(self) -> None:
        self.sent = ""
        self._before = ""  # what was sent before this round
        self._generation = ""
        self._round: object = None
        self._rounds: dict[str, object] = {}
        self._parts = {"content": "", "reasoning": ""}
        self._units = {"content": 0, "reasoning": 0}

    def take(self, event: Event) -> list[Part]:
        if event["type"] == "generation":
            self._rounds[event["generation"]] = event["round"]
        if event["type"] == "delta" and event["part"] in self._parts:
            return self._delta(event)
        if event["type"] == "text":
            self._begin(event["generation"], event.get("round"))
            text = event["parts"]["content"]
            self._parts["content"], self._units["content"] = text, _units(text)
            return self._rest(self._before + _joint(self._before, text) + text)
        return []

    def _delta(self, event: Event) -> list[Part]:
        self._begin(event["generation"], self._rounds.get(event["generation"]))
        part, text = event["part"], event["text"]
        if event["offset"] != self._units[part]:
            return []  # some are missing: the end has them
        self._units[part] += _units(text)
        self._parts[part] += text
        if part == "reasoning":
            return [Reasoning(text)]
        whole = self._parts["content"]
        return self._rest(self._before + _joint(self._before, whole) + whole)

    def _begin(self, generation: str, round_number: object) -> None:
        """Another attempt of the same round is to repeat what was sent of it."""
        if generation == self._generation:
            return
        if round_number is None or round_number != self._round:
            self._before = self.sent
        self._generation, self._round = generation, round_number
        self._parts = dict.fromkeys(self._parts, "")
        self._units = dict.fromkeys(self._units, 0)

    def _rest(self, whole: str) -> list[Part]:
        """Raises `OpenAIError` if it is not what was sent."""
        if len(whole) <= len(self.sent):
            if not self.sent.startswith(whole):
                raise changed()
            return []
        if not whole.startswith(self.sent):
            raise changed()
        rest, self.sent = whole[len(self.sent) :], whole
        return [Text(rest)]

    def end(self, outcome: Outcome) -> list[Part]:
        """The rest of the text, as the database has it."""
        if outcome.failure is not None:
            return [Ended(outcome)]
        return [*self._rest(outcome.text), Ended(outcome)]


def changed() -> OpenAIError:
    return OpenAIError(502, CHANGED, SERVER, code="answer_changed", headers=NO_RETRY)


def _joint(before: str, text: str) -> str:
    return GAP if before and text else ""


def _units(text: str) -> int:
    """Its length in UTF-16 code units, as events count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


async def parts(
    following: Following, turn: Turn, token: Token, *, waits: bool, with_tools: bool
) -> AsyncIterator[Part]:
    """The answer of a turn until it ends. Without `waits` a call that needs a person fails at
    once. Raises `OpenAIError`."""
    answer, name = Answer(), str(turn.public_id)
    person = _Person(turn, waits=waits)
    looked = time.monotonic()
    while True:
        events = await following.events(LOOK_INTERVAL_S)
        is_over = False
        for event in events:
            if event.get("turn") != name:
                continue
            for part in answer.take(event):
                yield part
            person.take(event)
            is_over = is_over or _is_end(event)
        if is_over or time.monotonic() - looked >= LOOK_INTERVAL_S or not events:
            looked = time.monotonic()
            outcome = await from_loop(_look, turn.pk, token.pk, with_tools)
            if outcome.is_over:
                for part in answer.end(outcome):
                    yield part
                return
        await person.check()
        if not events:
            yield Waiting()


def _is_end(event: Event) -> bool:
    return event["type"] == "turn" and event["state"] not in Turn.OPEN


def _look(turn: int, token: int, with_tools: bool) -> Outcome:
    """Raises `OpenAIError` if the token was revoked."""
    row = Turn.objects.get(pk=turn)
    if row.is_open:
        if token not in usable_tokens([token]):
            message = "The token was revoked, or has expired."
            raise OpenAIError(401, message, code="invalid_api_key")
        return Outcome(str(row.status))
    return read(row, with_tools=with_tools)


class _Person:
    """What a turn waits for a person to decide or to answer, and since when."""

    def __init__(self, turn: Turn, *, waits: bool) -> None:
        self._turn = turn
        self._seconds = MAX_API_WAIT_FOR_PERSON_S if waits else 0.0
        self._open: set[str] = set()
        self._since = 0.0

    def take(self, event: Event) -> None:
        if event["type"] not in ("call", "question"):
            return
        one = event["question"] if event["type"] == "question" else event["call"]
        if event["state"] in ("awaiting_approval", "open"):
            self._since = self._since if self._open else time.monotonic()
            self._open.add(one)
        else:
            self._open.discard(one)

    async def check(self) -> None:
        """Raises `OpenAIError` after the time for it."""
        if not self._open or time.monotonic() - self._since < self._seconds:
            return
        await from_loop(stop_turn, self._turn.user, self._turn.public_id)
        message = (
            "A tool call needs a person's approval or answer, which is given on the page of the "
            "conversation. The turn was stopped."
        )
        raise OpenAIError(409, message, INVALID, code="approval_required", headers=NO_RETRY)


_stopping: set["asyncio.Task[bool]"] = set()


def stop_later(user: User, turn: uuid.UUID) -> None:
    """Stops a turn whose client has left; the caller is being cancelled and cannot wait."""
    task = asyncio.get_running_loop().create_task(from_loop(stop_turn, user, turn))
    _stopping.add(task)
    task.add_done_callback(_stopping.discard)
