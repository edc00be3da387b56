"""Scripts that go wrong, and scripts that are cut at awkward bytes."""

import random
from collections.abc import Iterator
from itertools import chain

from benchmarks.stub.grammar import Behaviour, Fault
from benchmarks.stub.wire import DONE, Action, Script, Signal

HTML = b"<!DOCTYPE html>\n<html><body><h1>Welcome to the gateway</h1></body></html>\n"
BAD_JSON = b'data: {"choices": [{"index": 0, "delta": {"content": "oops}}]\n\n'
BAD_UTF8 = b'data: {"choices": [{"index": 0, "delta": {"content": "\xff\xfe\xc3("}}]}\n\n'


def broken(script: Script, behaviour: Behaviour) -> Script:
    """The script with the behaviour's fault; one in mid-stream comes after `at` tokens."""
    match behaviour.fault:
        case Fault.HTML:
            return iter([HTML])
        case Fault.EMPTY:
            return iter(())
        case Fault.ZERO:
            return iter([DONE])
        case Fault.SILENT:
            return iter([Signal.STALL])
        case None | Fault.ENDLESS | Fault.STATUS:
            return script
        case fault:
            return chain(_until(script, fault_position(behaviour)), _break(fault, script))


def fault_position(behaviour: Behaviour) -> int:
    """After how many tokens a fault in mid-stream comes."""
    if behaviour.fault_at is not None:
        return behaviour.fault_at
    return (behaviour.reasoning + behaviour.tokens) // 2


def _until(script: Script, slots: int) -> Script:
    """The first slots of the script, never the end of its tokens; the rest stays in it."""
    while slots and (action := next(script)) is not Signal.FINISH:
        yield action
        slots -= action is Signal.SLOT


def _break(fault: Fault, rest: Script) -> Script:
    match fault:
        case Fault.HALFLINE:
            event = next(action for action in rest if isinstance(action, bytes))
            yield event[: len(event) // 2]
        case Fault.CLOSE:
            yield Signal.CLOSE
        case Fault.RESET:
            yield Signal.RESET
        case Fault.STALL:
            yield Signal.STALL
        case Fault.BADJSON:
            yield BAD_JSON
            yield from rest
        case Fault.BADUTF8:
            yield BAD_UTF8
            yield from rest


class Cutter:
    """Cuts a stream of bytes at random places; the same seed cuts at the same places."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._held = b""
        self._length = self._next_length()

    def _next_length(self) -> int:
        return self._random.choice((1, 2, 3, 7, 20, 60, 200, 400))

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The pieces that are complete now; the rest is held back."""
        self._held += chunk
        while len(self._held) >= self._length:
            piece, self._held = self._held[: self._length], self._held[self._length :]
            self._length = self._next_length()
            yield piece

    def cut(self, script: Script) -> Iterator[Action]:
        """The script with its events cut; whatever is held goes out before an end."""
        for action in script:
            if isinstance(action, bytes):
                yield from self.feed(action)
                continue
            if action is not Signal.SLOT:
                yield from self.flush()
            yield action
        yield from self.flush()

    def flush(self) -> Iterator[bytes]:
        if self._held:
            yield self._held
        self._held = b""
