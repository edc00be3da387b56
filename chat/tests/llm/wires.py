"""How the models of each dialect write what they say, for tests that run over all of them."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, ClassVar, Protocol

from chat.llm.dialects.contract import Part

Said = tuple[Part, str]


class Wire(Protocol):
    def message(self, said: Sequence[Said]) -> dict[str, Any]:
        """A whole answer."""
        ...

    def deltas(self, said: Iterable[Said]) -> list[dict[str, Any]]:
        """The same in pieces, one for each entry and what has to stand between them."""
        ...

    def texts(self, said: Sequence[Said]) -> dict[str, str]:
        """The texts of the whole answer by the paths that origins name."""
        ...


class ChatCompletions:
    """`content` and `reasoning_content`."""

    _KEYS: ClassVar = {"content": "content", "reasoning": "reasoning_content"}

    def message(self, said: Sequence[Said]) -> dict[str, Any]:
        return {"role": "assistant", **self.texts(said)}

    def deltas(self, said: Iterable[Said]) -> list[dict[str, Any]]:
        return [{self._KEYS[part]: text} for part, text in said]

    def texts(self, said: Sequence[Said]) -> dict[str, str]:
        return {
            self._KEYS[part]: "".join(text for of, text in said if of == part)
            for part in dict.fromkeys(part for part, _ in said)
        }


class Messages:
    """Blocks of Anthropic's API, one for each run of pieces of a part."""

    _KINDS: ClassVar = {"content": ("text", "text"), "reasoning": ("thinking", "thinking")}

    def message(self, said: Sequence[Said]) -> dict[str, Any]:
        return {
            "type": "message",
            "role": "assistant",
            "content": [self._block(part, "".join(texts)) for part, texts in _runs(said)],
            "stop_reason": "end_turn",
        }

    def deltas(self, said: Iterable[Said]) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = [{"type": "message_start", "message": self.message(())}]
        for index, (part, texts) in enumerate(_runs(said)):
            kind, key = self._KINDS[part]
            at = {"index": index}
            start = self._block(part, "")
            events.append({"type": "content_block_start", **at, "content_block": start})
            events += [
                {"type": "content_block_delta", **at, "delta": {"type": f"{kind}_delta", key: text}}
                for text in texts
            ]
            events.append({"type": "content_block_stop", **at})
        return [*events, {"type": "message_stop"}]

    def texts(self, said: Sequence[Said]) -> dict[str, str]:
        return {
            f"content[{place}].{self._KINDS[part][1]}": "".join(texts)
            for place, (part, texts) in enumerate(_runs(said))
        }

    def _block(self, part: Part, text: str) -> dict[str, Any]:
        kind, key = self._KINDS[part]
        return {"type": kind, key: text}


def _runs(said: Iterable[Said]) -> list[tuple[Part, list[str]]]:
    return [(part, [text for _, text in run]) for part, run in groupby(said, lambda one: one[0])]


def wire(dialect: str) -> Wire:
    return Messages() if dialect == "anthropic" else ChatCompletions()
