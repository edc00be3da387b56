"""Answers of models, whole and cut into what arrives, in the form of each dialect."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.fuzz.grammar import Grammar

Delta = Mapping[str, Any]


class Answers:
    """`whole` and the deltas that `cut` makes of it mean the same."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def whole(self, dialect: str) -> dict[str, Any]:
        if dialect == "anthropic":
            count = self.grammar.random.randint(0, 4)
            return {"content": [self._block(place) for place in range(count)]}
        message: dict[str, Any] = {"content": self.grammar.text()}
        if self.grammar.random.random() < 0.3:
            message["reasoning_content"] = self.grammar.text()
        if dialect == "native" and self.grammar.random.random() < 0.6:
            message["tool_calls"] = [
                {"index": place, "id": f"call_{place}", "function": self._function()}
                for place in range(self.grammar.random.randint(1, 3))
            ]
        if dialect == "functions" and self.grammar.random.random() < 0.6:
            message["function_call"] = self._function()
        return message

    def cut(self, dialect: str, whole: Mapping[str, Any]) -> list[Delta]:
        if dialect == "anthropic":
            blocks: Sequence[dict[str, Any]] = whole["content"]
            return [
                event for place, block in enumerate(blocks) for event in self._events(place, block)
            ]
        pieces: list[Delta] = []
        for key in ("reasoning_content", "content"):
            pieces += [{key: piece} for piece in self._pieces(whole.get(key, ""))]
        if function := whole.get("function_call"):
            pieces += [{"function_call": piece} for piece in self._called(function)]
        streams: list[list[Delta]] = [
            [
                {"tool_calls": [{**call, "function": piece}]}
                for piece in self._called(call["function"])
            ]
            for call in whole.get("tool_calls", ())
        ]
        return [*pieces, *self._interleaved(streams)]

    def _pieces(self, text: str) -> list[str]:
        return [text[cut] for cut in self.grammar.cuts(len(text))]

    def _function(self) -> dict[str, str]:
        name = self.grammar.random.choice(("f", "weather", "日期"))
        return {"name": name, "arguments": self.grammar.arguments()}

    def _called(self, function: Mapping[str, str]) -> list[dict[str, str]]:
        repeats = self.grammar.random.random() < 0.3
        pieces = [{"arguments": piece} for piece in self._pieces(function["arguments"])]
        if repeats:
            return [{"name": function["name"], **piece} for piece in pieces]
        return [{"name": function["name"]}, *pieces]

    def _interleaved(self, streams: list[list[Delta]]) -> list[Delta]:
        mixed: list[Delta] = []
        while streams := [stream for stream in streams if stream]:
            mixed.append(self.grammar.random.choice(streams).pop(0))
        return mixed

    def _block(self, place: int) -> dict[str, Any]:
        kind = self.grammar.random.choice(("text", "thinking", "tool_use", "redacted_thinking"))
        if kind == "tool_use":
            given = self.grammar.object(4)
            return {"type": kind, "id": f"toolu_{place}", "name": "f", "input": given}
        if kind == "redacted_thinking":
            return {"type": kind, "data": "x"}
        block = {"type": kind, kind: self.grammar.text()}
        return {**block, "signature": "s"} if kind == "thinking" else block

    def _events(self, place: int, block: dict[str, Any]) -> list[Delta]:
        kind = block["type"]
        start = {"type": "content_block_start", "index": place, "content_block": block}
        stop = {"type": "content_block_stop", "index": place}
        if kind not in ("text", "thinking"):
            return [start, stop]
        start["content_block"] = {"type": kind, kind: ""}
        deltas: list[dict[str, Any]] = [{kind: piece} for piece in self._pieces(block[kind])]
        if kind == "thinking":
            deltas.append({"signature": block["signature"]})
        events = [{"type": "content_block_delta", "index": place, "delta": one} for one in deltas]
        return [start, *events, stop]
