"""Messages as a coding or database assistant has them, the same for the same seed.

A round asks for one tool. Its result is one of: rows as JSON, a page of English or Chinese prose, a
source file. The vocabulary is small and its words have unequal frequencies, as in natural text;
ids, hashes and numbers are random.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

_ENGLISH = [
    "the",
    "of",
    "to",
    "and",
    "a",
    "in",
    "is",
    "that",
    "for",
    "it",
    "as",
    "with",
    "on",
    "are",
    "be",
    "this",
    "by",
    "at",
    "from",
    "or",
    "an",
    "we",
    "can",
    "not",
    "have",
    "request",
    "server",
    "time",
    "query",
    "table",
    "index",
    "user",
    "value",
    "order",
    "result",
    "error",
    "limit",
    "process",
    "worker",
    "message",
    "connection",
    "database",
    "memory",
    "field",
    "column",
    "update",
    "number",
    "record",
    "session",
    "response",
    "client",
    "page",
    "token",
    "model",
    "before",
    "after",
    "each",
    "between",
    "without",
    "under",
    "during",
    "because",
    "however",
    "although",
    "returned",
    "stored",
    "written",
    "measured",
    "expected",
    "changed",
    "removed",
    "first",
    "last",
    "several",
    "large",
    "small",
]
_CHINESE = [
    "我们",
    "数据库",
    "查询",
    "结果",
    "请求",
    "服务器",
    "用户",
    "可以",
    "没有",
    "需要",
    "这个",
    "时间",
    "记录",
    "消息",
    "处理",
    "系统",
    "一个",
    "更新",
    "连接",
    "工具",
    "模型",
    "表格",
    "学生",
    "成绩",
    "平均",
    "数量",
    "增加",
    "减少",
    "因为",
    "所以",
    "但是",
    "如果",
    "已经",
    "首先",
    "然后",
    "最后",
    "进行",
    "使用",
    "返回",
    "错误",
]
_TOOLS = ("sqlite-read_query", "files-read_file", "web-fetch", "files-search")


def wire(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass(frozen=True)
class Call:
    """A round's tool call; `text` is its result as the model is shown it."""

    id: str
    name: str
    arguments: str
    text: str


@dataclass(frozen=True)
class Round:
    """`text` is what the model says before its call; the last round has no call."""

    number: int
    text: str
    call: Call | None

    @property
    def answer(self) -> dict[str, Any]:
        if self.call is None:
            return {"role": "assistant", "content": self.text}
        function = {"name": self.call.name, "arguments": self.call.arguments}
        call = {"id": self.call.id, "type": "function", "function": function}
        return {"role": "assistant", "content": self.text, "tool_calls": [call]}

    @property
    def result(self) -> dict[str, Any] | None:
        if self.call is None:
            return None
        return {"role": "tool", "tool_call_id": self.call.id, "content": self.call.text}


@dataclass
class Conversation:
    """A question and the rounds that follow it."""

    rounds: int
    seed: int = 14
    tools: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)
        self.tools = [_tool(name, self._prose(30)) for name in _TOOLS]
        self.opening = [
            {"role": "system", "content": f"You are a careful assistant. {self._prose(120)}"},
            {"role": "user", "content": self._chinese(40) + self._prose(20)},
        ]

    def __iter__(self) -> Iterator[Round]:
        for number in range(1, self.rounds + 1):
            text = self._chinese(12) if number % 3 == 0 else self._prose(12)
            yield Round(number, text, self._call(number) if number < self.rounds else None)

    def _call(self, number: int) -> Call:
        kinds = (self._rows, self._page, self._source, self._chinese_page)
        place = number % len(kinds)
        arguments = {"query": f"SELECT id, name FROM log_{number} WHERE id > {self._number()}"}
        if place == 2:
            arguments = {"path": f"src/{self._word()}_{self._word()}_{number}.py"}
        call_id = f"call_{self._random.getrandbits(96):024x}"
        return Call(call_id, _TOOLS[place], wire(arguments).decode(), kinds[place]())

    def _rows(self) -> str:
        rows = [
            {
                "id": self._number(),
                "name": self._word(),
                "hash": f"{self._random.getrandbits(64):x}",
            }
            for _ in range(self._random.randrange(4, 28))
        ]
        return json.dumps(rows)

    def _page(self) -> str:
        return self._prose(self._random.randrange(60, 240))

    def _chinese_page(self) -> str:
        return self._chinese(self._random.randrange(60, 200))

    def _source(self) -> str:
        functions = (
            f'def {self._word()}_{self._word()}({self._word()}: int) -> "{self._word().title()}":\n'
            f'    """{self._prose(8)}"""\n    return {self._word()}({self._number()})\n\n\n'
            for _ in range(self._random.randrange(2, 12))
        )
        return "".join(functions)

    def _prose(self, words: int) -> str:
        text = " ".join(self._word() for _ in range(words))
        return f"{text.capitalize()} {self._number()}."

    def _chinese(self, words: int) -> str:
        weights = [1 / (place + 2) for place in range(len(_CHINESE))]
        text = "".join(self._random.choices(_CHINESE, weights, k=words))
        return f"{text}, {self._number()}。"

    def _word(self) -> str:
        place = min(int(self._random.paretovariate(0.5)), len(_ENGLISH))
        return _ENGLISH[place - 1] if self._random.random() < 0.6 else self._random.choice(_ENGLISH)

    def _number(self) -> int:
        return self._random.randrange(100_000)


def _tool(name: str, description: str) -> dict[str, Any]:
    query = {"type": "string", "description": "What to look for."}
    parameters = {"type": "object", "properties": {"query": query}, "required": ["query"]}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}
