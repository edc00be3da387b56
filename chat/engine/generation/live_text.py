"""Events of a generation's text while it arrives: deltas at once, Markdown blocks when complete."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from chat import events
from chat.engine.generation.attempts import Attempt
from chat.events.running_text import Flusher, RunningText
from chat.llm.dialects.contract import TextDelta
from chat.llm.messages import cited_sources
from chat.markdown import Block, BlockSplitter, citations
from chat.models import Turn
from db.threads import from_loop

# A generation has at most one text in the queue, so that its blocks stay in order. The time of a
# block is bounded (`chat.markdown`), so that no generation waits long for another.
_renderer = ThreadPoolExecutor(2, thread_name_prefix="markdown")
_flushers: dict[asyncio.AbstractEventLoop, Flusher] = {}


def flusher() -> Flusher:
    """The flusher of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _flushers:
        _flushers[loop] = Flusher(_is_current)
    return _flushers[loop]


async def _is_current(running: RunningText) -> bool:
    turns = Turn.objects.open().filter(public_id=running.turn, epoch=running.epoch)
    return await from_loop(turns.exists)


class Speaker:
    """Emits the text of one generation. For the loop's thread."""

    def __init__(self, attempt: Attempt) -> None:
        self._flusher = flusher()
        self._running = RunningText(
            attempt.conversation,
            attempt.turn.public_id,
            attempt.generation.public_id,
            attempt.turn.epoch,
            attempt.round.number,
        )
        self._citations = citations.read(cited_sources(attempt.history.messages))
        self._splitter = BlockSplitter(citations=self._citations)
        self._unsplit: list[str] = []
        self._rendering: asyncio.Future[list[Block]] | None = None
        self._flusher.begin(self._running, beginning(attempt))

    def say(self, deltas: Sequence[TextDelta]) -> None:
        """Emits the deltas of a chunk."""
        for delta in deltas:
            if delta.restart:
                self._flusher.restart(self._running, delta.part, delta.text)
                self._restart_blocks(delta)
            elif delta.text:
                self._flusher.push(self._running, delta.part, delta.text)
                self._split(delta)

    async def finish(self) -> None:
        """Returns when all text is emitted."""
        if self._rendering is not None:
            await asyncio.wait([self._rendering])
        await self._flusher.drain(self._running)
        self._flusher.end(self._running)

    def _split(self, delta: TextDelta) -> None:
        """Renders at the end of a line: only there a block can be complete."""
        if delta.part != "content":
            return
        self._unsplit.append(delta.text)
        if "\n" in delta.text and self._rendering is None:
            self._render()

    def _render(self) -> None:
        text = "".join(self._unsplit)
        self._unsplit.clear()
        loop = asyncio.get_running_loop()
        self._rendering = loop.run_in_executor(_renderer, self._splitter.feed, text)
        self._rendering.add_done_callback(self._rendered)

    def _rendered(self, rendering: "asyncio.Future[list[Block]]") -> None:
        if self._rendering is not rendering:
            return
        self._rendering = None
        for block in rendering.result():
            self._flusher.announce_block(self._running, self._event(block))
        if any("\n" in text for text in self._unsplit):
            self._render()

    def _event(self, block: Block) -> dict[str, object]:
        return {
            "type": "block",
            "turn": self._running.turn,
            "epoch": self._running.epoch,
            "generation": self._running.generation,
            "part": "content",
            "index": block.index,
            "start": block.start,
            "end": block.end,
            "html": str(block.html),
        }

    def _restart_blocks(self, delta: TextDelta) -> None:
        if delta.part == "content":
            self._splitter = BlockSplitter(citations=self._citations)
            self._rendering = None
            self._unsplit = [delta.text]


def beginning(attempt: Attempt) -> list[dict[str, Any]]:
    """The events of a generation that begins, and of the turn if its state changed."""
    turn = attempt.turn
    frames = [events.generation_event(turn, attempt.round.number, attempt.generation)]
    if turn.status != Turn.Status.STREAMING:
        turn.status = Turn.Status.STREAMING
        turn.rounds = attempt.round.number
        frames.insert(0, events.turn_event(turn))
    return frames
