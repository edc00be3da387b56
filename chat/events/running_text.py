"""The text of running generations, streamed into the event logs by one flusher a process.

Lives on the process's asyncio loop. A `RunningText` gathers the text of one generation; the
`Flusher` writes the due text of all generations in one script call, so that a busy process makes
fewer, larger writes. Only one write is under way at a time: what arrives meanwhile goes with the
next one.
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NamedTuple

from django.conf import settings

from chat.events.log import encode
from chat.events.scripts import (
    PARTS,
    Append,
    AsyncScripts,
    BeginAppend,
    BlockAppend,
    DeltaAppend,
    Run,
    TextAppend,
    WrittenText,
)
from chat.events.tick import Tick
from db.redis_pool import ASYNC_ERRORS
from limits.web import MAX_FLUSH_WINDOW_S

logger = logging.getLogger(__name__)

# Seconds between two writes of a text: half the time between two tokens of a quick model. At 20 ms
# a stream of 50 tokens a second drifts against its own window: measured at one stream, p50 19 ms in
# place of 0.7.
MIN_FLUSH_WINDOW_S = 0.01
REDIS_RETRY_S = 0.5
# Failed writes in a row after which Redis counts as away.
AWAY_FAILURES = 2
# Seconds between two looks whether Redis still has what was written.
CHECK_S = 1.0


class PendingText(NamedTuple):
    """Text that is about to be written, as a JSON literal and as bytes, and where it begins in its
    part."""

    literal: str
    encoded: bytes
    units_before: int
    bytes_before: int


class Part:
    """The text of one part: all of it, how much was taken for writing, and what waits."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.pending: list[str] = []
        self.units_taken = 0
        self.bytes_taken = 0

    def take(self) -> PendingText:
        """The text that waits; it counts as written from here on."""
        text = "".join(self.pending)
        self.pending.clear()
        literal, encoded = _literal(text)
        pending = PendingText(literal, encoded, self.units_taken, self.bytes_taken)
        self.units_taken += (
            len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
        )
        self.bytes_taken += len(encoded)
        return pending

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class RunningText:
    """The text of one generation so far, and the log that announces it."""

    def __init__(
        self,
        conversation: uuid.UUID,
        turn: uuid.UUID,
        generation: uuid.UUID,
        epoch: int,
        round_number: int,
    ) -> None:
        self.conversation = conversation
        self._log = str(conversation)
        self.run = Run(conversation, turn, generation, epoch, round_number)
        self.turn = str(turn)
        self.generation = str(generation)
        self.epoch = epoch
        self.round = round_number
        self.parts = {part: Part() for part in PARTS}
        # Encoded events of its beginning, and blocks, which go after the text that waits.
        self.events: list[str] = []
        self.blocks: list[str] = []
        self._blocks_taken = 0
        self.flushed_at = 0.0
        self.scheduled = False
        # Whether its beginning waits to be written; and whether the whole text has to be, once
        # more.
        self.fresh = False
        self.lost = False
        self._head = {
            part: encode(
                {
                    "type": "delta",
                    "turn": self.turn,
                    "epoch": epoch,
                    "generation": self.generation,
                    "part": part,
                }
            )[:-1]
            + ',"offset":'
            for part in PARTS
        }

    def texts(self) -> dict[str, str]:
        return {name: part.text for name, part in self.parts.items()}

    def has_pending(self) -> bool:
        """Whether its beginning, text or a block waits to be written."""
        return self.fresh or len(self.blocks) > self._blocks_taken or self.has_text()

    def has_text(self) -> bool:
        """Whether text waits to be written."""
        return any(part.pending for part in self.parts.values())

    def take(self) -> list[Append]:
        """The appends for all that waits: the beginning, deltas, the blocks that cover them."""
        appends: list[Append] = [BeginAppend(self.run, self.events)] if self.fresh else []
        self.fresh = False
        for name, part in self.parts.items():
            if part.pending:
                appends.append(self._delta(name, part))
        blocks = self.blocks[self._blocks_taken :]
        self._blocks_taken = len(self.blocks)
        return [*appends, *map(self._block, blocks)]

    def take_whole(self, *, is_anew: bool) -> TextAppend:
        """The append for the whole text; nothing but blocks waits then."""
        for part in self.parts.values():
            part.take()
        self._blocks_taken = 0
        self.lost = self.fresh = False
        texts = [self.parts[part].text.encode(errors="surrogatepass") for part in PARTS]
        event = encode(self.text_event())
        return TextAppend(self.run, texts, event, self.events, is_anew=is_anew)

    def _delta(self, name: str, part: Part) -> DeltaAppend:
        literal, encoded, units_before, bytes_before = part.take()
        event = f'{self._head[name]}{units_before},"text":{literal}}}'
        return DeltaAppend(
            *(self._log, event, self.turn, self.generation, self.epoch),
            *(name, bytes_before, encoded),
        )

    def _block(self, event: str) -> BlockAppend:
        return BlockAppend(self._log, event, self.turn, self.generation, self.epoch)

    def written(self) -> WrittenText:
        """What Redis has, unless it has lost it."""
        return WrittenText(self.run, tuple(self.parts[part].bytes_taken for part in PARTS))

    def text_event(self) -> dict[str, Any]:
        """The `text` event: everything so far, in place of what was shown."""
        return {
            "type": "text",
            "turn": self.turn,
            "epoch": self.epoch,
            "generation": self.generation,
            "round": self.round,
            "parts": self.texts(),
        }


def _literal(text: str) -> tuple[str, bytes]:
    """The text as a JSON literal, and in UTF-8: ASCII where UTF-8 cannot carry it."""
    try:
        return encode_basestring(text), text.encode()
    except UnicodeEncodeError:
        return encode_basestring_ascii(text), text.encode(errors="surrogatepass")


IsCurrent = Callable[[RunningText], Awaitable[bool]]


class Flusher:
    """Writes the running texts of this process. Every method is for the loop's thread.
    `is_current` asks the database, where Redis does not know, whether a turn is open and nobody has
    taken it over."""

    def __init__(self, is_current: IsCurrent) -> None:
        self._scripts = AsyncScripts(settings.REDIS_URL)
        self._is_current = is_current
        self._tick = Tick()
        self._ready: list[RunningText] = []
        self._batch: list[RunningText] = []
        # What waits for the retry after a failure.
        self._unwritten: list[RunningText] = []
        # The texts that have begun and not ended, and that this process may announce.
        self._running: dict[RunningText, None] = {}
        self._check: asyncio.TimerHandle | None = None
        self._is_check_due = False
        self._failures = 0
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._window = MIN_FLUSH_WINDOW_S
        self._task = asyncio.create_task(self._run(), name="flusher")

    def begin(self, running: RunningText, events: list[dict[str, Any]]) -> None:
        """Makes this the running text of its turn, still empty, and announces `events`."""
        running.events = [encode(event) for event in events]
        running.fresh = True
        self._running[running] = None
        self._check_later()
        self._schedule(running)

    def end(self, running: RunningText) -> None:
        """What is not written of it by now never will be: it must not follow the end of its turn,
        and may not replace what the turn says next."""
        if not self._is_written(running):
            logger.warning("The end of a text of turn %s was not announced", running.turn)
        self._running.pop(running, None)

    def push(self, running: RunningText, part: str, text: str) -> None:
        """Adds text to a part; it is written within the window."""
        self._tick.count()
        target = running.parts[part]
        target.pieces.append(text)
        target.pending.append(text)
        self._schedule(running)

    def restart(self, running: RunningText, part: str, text: str) -> None:
        """Replaces a part's text: what was shown of it belongs to another part."""
        running.parts[part] = Part()
        running.blocks.clear()
        running.lost = True
        self.push(running, part, text)

    def announce_block(self, running: RunningText, event: dict[str, Any]) -> None:
        """Appends a block, after the text that it covers."""
        running.blocks.append(encode(event))
        self._schedule(running)

    async def drain(self, running: RunningText) -> None:
        """Returns when this text is written, or Redis counts as away: which is tried once more, by
        the write after the one that may be under way."""
        tries = 0
        while not self._is_written(running) and (self._failures < AWAY_FAILURES or tries < 2):
            tries += 1
            self._ready.append(running)
            self._idle.clear()
            self._wake.set()
            await self._idle.wait()

    def _is_written(self, running: RunningText) -> bool:
        if running not in self._running:
            return True
        return not (running.has_pending() or running.lost or running in self._batch)

    async def close(self) -> None:
        if self._check is not None:
            self._check.cancel()
        self._task.cancel()
        await self._scripts.close()

    def _schedule(self, running: RunningText) -> None:
        if running.scheduled or running not in self._running:
            return
        running.scheduled = True
        loop = asyncio.get_running_loop()
        due = running.flushed_at + self._window
        if due <= loop.time():
            self._due(running, None)
        else:
            loop.call_at(due, self._due, running, due)

    def _due(self, running: RunningText, due: float | None) -> None:
        if due is not None:
            self._adapt(asyncio.get_running_loop().time() - due)
        self._ready.append(running)
        self._wake.set()

    def _adapt(self, lag: float) -> None:
        """Widens the window while timers come late: the process is falling behind."""
        lag = max(0.0, lag - self._tick.step)
        target = min(MAX_FLUSH_WINDOW_S, MIN_FLUSH_WINDOW_S + 4 * lag)
        self._window += 0.05 * (target - self._window)

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            self._batch, self._ready = list(dict.fromkeys(self._ready)), []
            try:
                if await self._flush(self._batch):
                    self._failures = 0
                if self._is_check_due:
                    await self._restore_lost()
            except Exception as error:  # whatever it is, this task has to go on
                unexpected = None if isinstance(error, ASYNC_ERRORS) else error
                logger.warning("Running text cannot be announced: %s", error, exc_info=unexpected)
                self._lose(self._batch)
                self._retry_later(self._batch)
            self._batch = []
            self._idle.set()
            self._tick.rest()

    async def _flush(self, batch: list[RunningText]) -> bool:
        """Whether anything was written. Raises what `ASYNC_ERRORS` has."""
        now = asyncio.get_running_loop().time()
        owners: list[RunningText] = []
        appends: list[Append] = []
        for running in batch:
            running.scheduled = False
            if running not in self._running:
                continue
            if running.has_text():
                running.flushed_at = now
            # A text that may be lost may have been written all the same.
            pending: list[Append] = [running.take_whole(is_anew=False)] if running.lost else []
            pending += running.take()
            appends += pending
            owners += [running] * len(pending)
        if not appends:
            return False
        lost, refused = await self._scripts.append(appends)
        for running in {owners[position] for position in refused}:
            self._leave(running)
        for running in dict.fromkeys(owners[position] for position in lost):
            await self._begin_anew(running)
        return True

    async def _begin_anew(self, running: RunningText) -> None:
        """Redis does not know this running text, or not as it is: it has lost its data, or this
        process was suspended while another one took the turn over, which Redis may have lost too.
        """
        if running not in self._running:
            return
        if not await self._is_current(running):
            self._leave(running)
            return
        _, refused = await self._scripts.append([running.take_whole(is_anew=True)])
        if refused:
            self._leave(running)
        elif running.has_pending():
            self._schedule(running)

    def _leave(self, running: RunningText) -> None:
        """Another process announces the turn now, or nobody does any more."""
        logger.info("The text of turn %s is no longer announced here", running.turn)
        self._running.pop(running, None)

    async def _restore_lost(self) -> None:
        """Writes the texts again that Redis has lost: their models may be silent for minutes."""
        self._is_check_due = False
        texts = [one for one in self._running if not (one.fresh or one.lost)]
        for position in await self._scripts.lost([one.written() for one in texts]):
            texts[position].lost = True
            self._ready.append(texts[position])
            self._wake.set()
        self._failures = 0

    def _check_later(self) -> None:
        if self._check is None:
            self._check = asyncio.get_running_loop().call_later(CHECK_S, self._check_soon)

    def _check_soon(self) -> None:
        self._check = None
        if self._running:
            self._is_check_due = True
            self._wake.set()
            self._check_later()

    def _lose(self, batch: list[RunningText]) -> None:
        for running in batch:
            running.lost = True

    def _retry_later(self, batch: list[RunningText]) -> None:
        """Of however many flushes fail, one timer is set. The first retry comes at once, because a
        connection may only be stale."""
        pause = REDIS_RETRY_S if self._failures else 0
        self._failures += 1
        if not self._unwritten:
            asyncio.get_running_loop().call_later(pause, self._retry)
        self._unwritten += batch

    def _retry(self) -> None:
        self._ready += self._unwritten
        self._unwritten = []
        self._wake.set()
