"""Inputs for every rule of the dialects, written by hand; what becomes of them was read by hand."""

from collections.abc import Iterator
from typing import Any

from chat.tests.llm.conversations import (
    WEATHER,
    assistant,
    block,
    call,
    piece,
    result,
    system,
    user,
)

Example = tuple[int, str, str, Any]  # rule, direction, dialect, input

NOW = {"name": "now"}
ODD = {
    "type": "function",
    "function": {
        "parameters": {"type": "dict", "properties": {"п": {"type": "tuple"}}, "x": [1.0, 1e5]},
        "description": "Odd, <b> & \u2028",
        "name": "odd",
        "strict": True,
    },
}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
FILE = {
    "type": "file",
    "file": {"filename": "a.txt", "file_data": "data:text/plain;base64,5YyX5Lqs"},
}
SIGNED = {"type": "thinking", "thinking": "hm", "signature": "s1"}
TWO = (call("weather", '{"city": "北京"}', "x"), call("now", "{}", "y"))
ROUND = [assistant("Both.", *TWO), result("2", "y"), result("1", "x")]
FAILED = {**result("no such city", "x"), "is_error": True}
CHOICES = ("auto", "none", "required", {"type": "function", "function": {"name": "weather"}})


def conversations() -> Iterator[tuple[int, dict[str, Any]]]:
    """Conversations that every dialect has to write, by the rule that they are about most."""
    yield 1, {"messages": [user("Hi")]}
    yield 1, {"messages": [{**user("Hi"), "name": "ann", "id": 7}, assistant("Yes?")]}
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": ""}, "b"]
    yield 1, {"messages": [{"role": "user", "content": parts}]}
    yield 1, {"messages": [{"role": "developer", "content": "Be brief."}, user("Hi")]}
    yield 1, {"messages": [user(""), assistant(None), user(" ")]}
    for text in ("Be brief.", "", "Ends in a newline\n"):
        yield 2, {"messages": [system(text), user("Hi")], "tools": [WEATHER]}
    yield 2, {"messages": [user("Hi")], "tools": [NOW]}
    yield 2, {"messages": [system("a"), user("Hi"), system("b")], "tools": [WEATHER, NOW]}
    yield 4, {"messages": [user("Hi")], "tools": [ODD, NOW]}
    for arguments in (
        '{"a": 1.0, "b": 1e5, "c": 123456789012345678901234567890}',
        '{"a": 1, "a": 2}',
        '{"a":"\\ud83d\\ude00","b":"\\u5317"}',
        "",
        " ",
        "{",
        "[1]",
        '"text"',
        "null",
    ):
        asked = assistant("", call("weather", arguments))
        yield 5, {"messages": [user("?"), asked, result("sun"), user("Thanks")]}
    for before in ("a", "a\n", "a\n\n", "", None):
        said = assistant(before, *TWO)
        yield 6, {"messages": [user("?"), said, result("1", "x"), result("2", "y")]}
    yield 6, {"messages": [user("?"), assistant("a"), assistant("b"), assistant("")]}
    yield 7, {"messages": [user("?"), *ROUND, user("And?"), user("Well?")]}
    yield 7, {"messages": [user("?"), *ROUND, *ROUND, assistant("Done.")]}
    yield 7, {"messages": [user("<tool_call>"), assistant("", TWO[0]), FAILED, user("!")]}
    yield 14, {"messages": [user("?"), assistant("a "), user("b "), assistant("c \n")]}
    thoughtful = {**ROUND[0], "reasoning_content": "hm", "thinking_blocks": [SIGNED]}
    yield 14, {"messages": [user("?"), thoughtful, *ROUND[1:], assistant("Done.")]}
    dotted = [assistant("", call("a.b", "{}", "f.f:0")), result("!", "f.f:0")]
    yield 14, {"messages": [user("?"), *dotted, user("!")], "tools": [{"name": "a.b"}]}
    yield (
        14,
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "?"}, IMAGE, FILE]}]},
    )
    seen = {**result(""), "content": [{"type": "text", "text": "Look"}, IMAGE]}
    yield 14, {"messages": [user("?"), assistant("", call("see")), seen, user("And?")]}
    yield 16, {"messages": [user("?"), assistant("", *TWO), result("1", "x"), user("Well?")]}
    yield 16, {"messages": [user("?"), assistant("", *TWO), user("Stop"), result("1", "x")]}
    yield (
        16,
        {"messages": [user("?"), assistant("", call("f"), call("g")), result("1"), result("2")]},
    )
    yield 16, {"messages": [user("?"), result("lost", "z"), user("!")]}
    for choice in CHOICES:
        yield 0, {"messages": [user("?")], "tools": [WEATHER], "tool_choice": choice}


NOUS_ANSWERS: tuple[tuple[int, str], ...] = (
    (8, "  Hi \n"),
    (8, block("f", {"a": 1})),
    (8, f"Before {block('f')} between {block('g')} after"),
    (8, '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>'),
    (8, '<tool_call>{"name": "f", "arguments": {"a": 1.0, "a": 2}}</tool_call>'),
    (8, '<tool_call>{"arguments": null, "name": "f"}</tool_call>'),
    (9, f"<think> hm {block('f')} </think> So {block('g')}"),
    (9, f"<think>hm {block('f')}"),
    (9, f"hm </think> So {block('f')}"),
    (9, f"So {block('f')} </think>"),
    (9, "So <think>no</think>"),
    (10, block("f", {"a": "</tool_call>", "b": "<tool_call>"})),
    (10, f"```\n{block('f')}\n```"),
    (11, "<tool_call></tool_call>"),
    (11, f"<tool_call>\nnot json\n</tool_call>{block('f')}"),
    (11, '<tool_call>{"name": "f", "arguments": {"a'),
    (11, '<tool_call>{"name": "f", "arguments": {}}'),
    (11, '<tool_call>{"name": 7, "arguments": {}}</tool_call>'),
    (11, "<tool_call>42</tool_call>"),
    (11, "<tool_call>" + "[" * 1000),
    (11, "</tool_call> a"),
    (12, "<tool_calls> a < b <tool_call"),
)
NOUS_STREAMS: tuple[list[str], ...] = (
    ["Hi <tool", "_calls> ", "there <"],
    ["<thi", "nk>h", "m</th", "ink>", " So", " what"],
    ["hm", "m</thi", "nk>So"],
    ["a ", "<tool_call>\n", '{"name": "f", "argu', 'ments": {}}\n</tool', "_call>", " b"],
    ["a\ud83d", "\ude00b"],
    ["", "  ", "a", "  "],
)
NATIVE_STREAMS: tuple[list[dict[str, Any]], ...] = (
    [{"role": "assistant", "content": ""}, {"content": "Hi"}, {"reasoning": "hm"}],
    [{"tool_calls": [piece("", "f", index=0, id="a")]}, {"tool_calls": [piece('{"a"', index=0)]},
     {"tool_calls": [piece("{}", "g", index=1, id="b")]}, {"tool_calls": [piece(": 1}", index=0)]}],
    [{"tool_calls": [piece("{", "f", id="a")]}, {"tool_calls": [piece("}", "f", id="a")]}],
    [{"tool_calls": [piece("{}", "f", index=0, id="a"), piece("{}", "g", index=1, id="a")]}],
    [{"tool_calls": [piece('{"a": ', "f", index=0, id="a")]}],
)  # fmt: skip
FUNCTIONS_STREAMS: tuple[list[dict[str, Any]], ...] = (
    [{"content": "Well"}, {"function_call": {"name": "f", "arguments": ""}},
     {"function_call": {"arguments": '{"a": '}}, {"function_call": {"arguments": "1}"}}],
    [{"function_call": {"name": "f", "arguments": written}} for written in "{}"],
    [{"function_call": {"name": "f", "arguments": '{"a'}}],
)  # fmt: skip


def _start(index: int, **content_block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": content_block}


def _delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


ANTHROPIC_STREAMS: tuple[list[dict[str, Any]], ...] = (
    [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        _start(0, type="thinking", thinking="", signature=""),
        _delta(0, type="thinking_delta", thinking="hm"),
        _delta(0, type="signature_delta", signature="s1"),
        {"type": "content_block_stop", "index": 0},
        {"type": "ping"},
        _start(1, type="text", text=""),
        _delta(1, type="text_delta", text="So"),
        _start(2, type="tool_use", id="toolu_1", name="f", input={}),
        _delta(2, type="input_json_delta", partial_json='{"a":'),
        _delta(2, type="input_json_delta", partial_json=" 1}"),
        _start(3, type="tool_use", id="toolu_2", name="now", input={}),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ],
    [_start(0, type="tool_use", id="a", name="f"), _delta(0, partial_json='{"a')],
    [_start(0, type="text", text="a"), _start(1, type="text", text="b"), _delta(0, text="c")],
    [_start(0, type="server_tool_use", id="s", name="web_search")],
)
STREAMS = {
    "native": NATIVE_STREAMS,
    "functions": FUNCTIONS_STREAMS,
    "anthropic": ANTHROPIC_STREAMS,
}
_CALLING = {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}}
ANSWERS: dict[str, tuple[Any, ...]] = {
    "native": (
        assistant("Hi"),
        {**assistant(None, *TWO), "audio": None},
        {"content": [{"type": "text", "text": "a"}, {"type": "image"}], "refusal": "no"},
        {"content": "<think>hm</think>So", "reasoning_content": None},
        {"reasoning_content": "hm", "reasoning": "hm", "content": "So"},
        {"tool_calls": [call("f", "{"), call("g", "[1]", ""), call("", "{}", "z")]},
    ),
    "functions": (
        {**_CALLING, "content": "Well"},
        {"content": None, "function_call": {"name": "f", "arguments": "{"}},
        {"content": "a", "tool_calls": [call("f")]},
    ),
    "anthropic": (
        {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"content": [SIGNED, {"type": "redacted_thinking", "data": "x"}, {"text": "a"}]},
        {"content": [{"type": "tool_use", "id": "a", "name": "f", "input": {"п": 1.0}}]},
        {"content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}] * 2},
        {"content": "Hi", "stop_reason": "end_turn"},
        {"content": [{"type": "mystery"}, 7]},
    ),
    "qwen-agent": (
        [{"role": "assistant", "content": "Hi", "reasoning_content": "hm"}],
        [{"role": "assistant", "content": [{"text": "Both"}]}, _CALLING, _CALLING],
        [_CALLING, {"role": "function", "name": "f", "content": "1"}, user("!")],
        [{"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{"}}],
    ),
}  # fmt: skip
