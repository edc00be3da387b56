"""Options of the trace page: how it shows the stages of a round, read from its query string."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.http import QueryDict

from limits.traces import MAX_FIND
from tracing.page.payload import reader

NAMES = ("input", "request", "response", "output")
VIEWS: Mapping[str, Sequence[str]] = {
    "input": ("messages", "json", "raw"),
    "request": ("messages", "beside", "json", "raw", "prompt"),
    "response": ("messages", "json", "raw", "chunks"),
    "output": ("messages", "json", "raw"),
}
_OF_ALL = ("messages", "json", "raw")


@dataclass(frozen=True)
class TraceViewOptions:
    """`view` applies to every stage without an entry in `own`.

    `text` is `markdown` or empty for plain. `against` names the round that is compared with, and
    perhaps its attempt (`3`, `3.1`), `turn` the trace of it if that is another one. `unfold` names
    the stage that shows what is unchanged, `page` counts pages of messages, `part` those of chunks
    and of bytes; `byte` and `find` are where raw bytes are opened. `opened` names the stage of the
    chosen attempt or call that is opened at `find`, or at the bytes `between`.
    """

    view: str = "messages"
    own: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    against: str = ""
    turn: str = ""
    unfold: str = ""
    page: int = 1
    part: int = 1
    byte: int | None = None
    find: str = ""
    opened: str = ""
    between: tuple[int, int] | None = None

    @property
    def parameters(self) -> dict[str, str]:
        """Query parameters that a link to another round keeps, by name."""
        view = "" if self.view == "messages" else self.view
        names = {"text": self.text, "against": self.against, "turn": self.turn}
        views = {"view": view, **self.own, **names}
        return {name: value for name, value in views.items() if value}

    @property
    def request(self) -> str:
        return self.own.get("request", "")

    @property
    def response(self) -> str:
        return self.own.get("response", "")

    def of(self, stage: str) -> str:
        return "raw" if stage == self.opened else self.own.get(stage) or self.view

    def reader_options(self) -> reader.ReaderOptions:
        at = self.between[0] if self.between else self.byte
        return reader.ReaderOptions(self.part, at, self.find, between=self.between)


def read(query: QueryDict) -> TraceViewOptions:
    """The options that a query string describes; invalid values are ignored."""
    own = {name: _one_of(query, name, views) for name, views in VIEWS.items()}
    return TraceViewOptions(
        view=_one_of(query, "view", _OF_ALL) or "messages",
        own={name: view for name, view in own.items() if view},
        text=_one_of(query, "text", ("markdown",)),
        against=query.get("against", "")[:20],
        turn=query.get("turn", "")[:36],
        unfold=_one_of(query, "unfold", NAMES),
        page=reader.whole_number(query.get("page", "")) or 1,
        part=reader.whole_number(query.get("part", "")) or 1,
        byte=reader.whole_number(byte) if (byte := query.get("byte", "")) else None,
        find=query.get("find", "")[:MAX_FIND],
        opened=query.get("stage", "")[:20],
        between=reader.byte_range(query.get("bytes", "")),
    )


def _one_of(query: QueryDict, name: str, values: Sequence[str]) -> str:
    value = query.get(name, "")
    return value if value in values else ""
