"""The shape of a document (`chat.sharing.document`), as JSON has it."""

from typing import Any, NotRequired, TypedDict


class StageText(TypedDict):
    """A message, or a tool, in a stage: its text, and its other members as JSON."""

    role: str
    text: str
    rest: str
    is_cut: bool


class SharedStage(TypedDict):
    """Positions of its messages and tools; its other members as JSON. `withheld` is a code of what
    keeps it from being shown (`chat.sharing.traces.WITHHELD`), "" for nothing."""

    messages: list[int]
    tools: list[int]
    rest: str
    withheld: str


class SharedTraceRound(TypedDict):
    """A round with the stages of its last attempt: `input`, `request`, `response`, `output`."""

    number: int
    model: str
    dialect: str
    status: str
    error: str
    attempts: int
    elapsed: str
    tokens_in: int
    tokens_out: int
    stages: dict[str, SharedStage]


class SharedAttachment(TypedDict):
    key: str
    name: str
    media_type: str
    size: int  # bytes
    is_hidden: bool


class SharedMessage(TypedDict):
    """A message of a person. Hidden: the rest is empty."""

    key: str
    text: str
    attachments: list[SharedAttachment]
    is_hidden: bool


class SharedBlock(TypedDict):
    """An image or a sound of a result, `index` in it."""

    index: int
    kind: str
    name: str
    media_type: str
    size: int  # bytes


class SharedCall(TypedDict):
    """`result` is None where there is none, or none is shared (`is_left_out`). `sources`: the pages
    that it quotes, with the numbers by which answers cite them; older documents have none. `span`:
    the public id that names its media, "" once retention has removed it."""

    sources: NotRequired[list[dict[str, Any]]]
    key: str
    span: str
    server: str
    tool: str
    state: str
    elapsed: str
    is_error: bool
    arguments: str
    result: str | None
    blocks: list[SharedBlock]
    has_subagent: bool
    # What the subagent did that the call began, if that is shared.
    nested: "NotRequired[list[SharedTurn]]"
    is_hidden: bool
    is_left_out: bool


class SharedRound(TypedDict):
    """`number` is the round's in its turn. `put_in`: messages of people before it."""

    key: str
    number: int
    text: str
    reasoning: str
    thought: str
    refusal: str
    notes: list[str]
    calls: list[SharedCall]
    put_in: list[SharedMessage]
    is_hidden: bool


class SharedTurn(TypedDict):
    """`status` is the turn's. `trace`: one entry a round (`chat.sharing.traces`), None if traces
    are not shared."""

    question: SharedMessage | None
    continues: bool
    model: str
    status: str
    error: str
    asked: str  # moment, ISO 8601
    rounds: list[SharedRound]
    put_in: list[SharedMessage]
    trace: list[SharedTraceRound] | None


class SharedDocument(TypedDict):
    """`first` is the number of its first turn, from 1; `count` counts the turns of the branch.
    `texts` are what its traces refer to by position."""

    title: str
    by: str
    turns: list[SharedTurn]
    first: int
    count: int
    texts: list[StageText]
