"""Scripts that go wrong, and scripts that are cut at awkward bytes."""

import random
import zlib
from collections.abc import Iterator
from itertools import chain, cycle, repeat

from benchmarks.stub.grammar import Behaviour, Fault
from benchmarks.stub.protocols import Protocol
from benchmarks.stub.wire import Action, Script, Signal

HTML = b"<!DOCTYPE html>\n<html><body><h1>Welcome to the gateway</h1></body></html>\n"
REPORTED = "The stub reports an error as it was told."
PING = b": the model is on its way\n\n"
BABBLE = b"the stub has a problem of its own, and another one; " * 20

MID_STREAM = {
    Fault.EOF,
    Fault.HALFLINE,
    Fault.CLOSE,
    Fault.SHORT,
    Fault.RESET,
    Fault.STALL,
    Fault.PING,
    Fault.ERROR,
    Fault.BADJSON,
    Fault.BADUTF8,
}


def broken(script: Script, behaviour: Behaviour, protocol: Protocol) -> Script:
    """The script with the behaviour's fault; one in mid-stream comes after `at` tokens."""
    match behaviour.fault:
        case Fault.HTML:
            return iter([HTML])
        case Fault.EMPTY:
            return iter(())
        case Fault.ZERO:
            return iter([protocol.zero])
        case Fault.ERROR_DOCUMENT:
            return iter([protocol.error(500, REPORTED)])
        case Fault.BABBLE:
            return repeat(BABBLE)
        case Fault.SILENT:
            return iter([Signal.STALL])
        case Fault.DROP:
            return iter([Signal.CLOSE])
        case Fault.TAIL:
            return chain(script, [Signal.CLOSE])
        case fault if fault in MID_STREAM:
            return chain(_until(script, behaviour.fault_position), _break(fault, script, protocol))
        case _:
            return script


def compressed(script: Script) -> Script:
    """The script with each event compressed as it goes, so that it can be read at once."""
    packer = zlib.compressobj(wbits=31)
    for action in script:
        if isinstance(action, bytes):
            yield packer.compress(action) + packer.flush(zlib.Z_SYNC_FLUSH)
        else:
            yield action
    yield packer.flush()


def _until(script: Script, slots: int) -> Script:
    """The first slots of the script, never the end of its tokens; the rest stays in it."""
    while slots and (action := next(script)) is not Signal.FINISH:
        yield action
        slots -= action is Signal.SLOT


def _break(fault: Fault, rest: Script, protocol: Protocol) -> Script:
    match fault:
        case Fault.HALFLINE:
            event = next(action for action in rest if isinstance(action, bytes))
            yield event[: len(event) // 2]
        case Fault.CLOSE | Fault.SHORT:
            yield Signal.CLOSE
        case Fault.RESET:
            yield Signal.RESET
        case Fault.STALL:
            yield Signal.STALL
        case Fault.PING:
            yield from cycle((PING, Signal.SLOT))
        case Fault.ERROR:
            yield protocol.error_event(REPORTED)
        case Fault.BADJSON:
            yield protocol.bad_json
            yield from rest
        case Fault.BADUTF8:
            yield protocol.bad_utf8
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
