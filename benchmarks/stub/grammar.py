"""What a model's name means.

    name    = "stub" *( "-" option )
    option  = letters [ digits ]

Options come in any order, each at most once. With a number:

    r50     50 tokens a second (0, the default: as quick as the reader reads)
    n200    200 tokens of content (default 20)
    d300    300 ms before the first token
    z20     20 reasoning tokens first
    t3      answer with 3 parallel calls of `calculate` before the text
    k5      5 rounds of tool calls a turn (default 1 if there are calls)
    p8      8 tokens of content before the calls of a tool round
    s7      random text of seed 7: lengths, Chinese, emoji, newlines, Markdown, JSON escapes
    c, c7   the stream is cut at random bytes (seed), through events and UTF-8 characters
    x2      only the first 2 attempts of the same request body fail
    at5     the fault comes after 5 tokens (default: half of them)
    m2000   400, if the request has more than 2,000 tokens (of four bytes)
    w3      `Retry-After: 3` on a failing status (default 1 for 429, else absent)
            with `wdate`: the date in 3 s; with `wms`: `retry-after-ms: 3`

Without:

    nous            calls are written as `<tool_call>` text
    ask             the calls are those that the user's message asks for, one a line:
                    `call NAME {"argument": 1}`; a line `then` begins the next round
    echo            the content is the user's message, 32 characters a token
    usage, nousage  usage always or never sent (default: when the request asks for it)
    reasoning, think    reasoning in the field `reasoning`, or as `<think>` text,
                    in place of `reasoning_content`
    plain           the fault only comes where no tools are offered: a summary, say
    redacted        a thinking block first that nobody can read (Messages API)
    nostream        one JSON document, though a stream was asked for
    bare            chunks without what no reader needs: `id`, `index`, `model` …
    gzip            the body is compressed, whatever was asked for
    leak            the key that came with the request is repeated: in a header, in pieces in the
                    reasoning, the content and the calls, and in what an error says

One fault, which is what happens instead of a good answer:

    f300 … f399     this HTTP status, and another address to go to
    f400 … f599     this HTTP status with a JSON error body
    fbabble         500, and an error body without end
    fhtml           200 with an HTML page          fempty     200 with an empty body
    fzero           only `[DONE]`, no chunk        feof       end without `finish_reason`
    fhalfline       end in the middle of a line    fclose     closed without the last HTTP chunk
    freset          TCP reset in mid-stream        fstall     silence in mid-stream
    fbadjson        an event that is not JSON      fbadutf8   an event that is not UTF-8
    fendless        content without end            fsilent    no answer, not even a status
    fdrop           closed before a status         fping      comments for ever, no more tokens
    fshort          closed in mid-stream, less     ftail      closed after a whole answer, less
                    than the Content-Length                   than the Content-Length
    flong           more than the Content-Length
    ferror          an error event in mid-stream   ferrordoc  200 with an error document
    ffilter         finished by a content filter   flimit     finished at the limit of its length
    fbadgzip        said to be compressed, is not

One quirk of the tool calls:

    qcut  qtext  qlist  qempty      arguments cut off, not JSON, not an object, empty
    qsameid  qnoid  qnoindex        ids repeated, ids absent, `index` absent
    qunknown  qnoname               a tool that does not exist, an empty name
    qwhole                          all calls in one chunk
    qlength                         `finish_reason: length` within the last call
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class UnknownModel(ValueError):
    """The name is not one of the stub's; the message says which part of it and why."""


class Fault(StrEnum):
    STATUS = "status"
    HTML = "html"
    EMPTY = "empty"
    ZERO = "zero"
    EOF = "eof"
    HALFLINE = "halfline"
    CLOSE = "close"
    RESET = "reset"
    STALL = "stall"
    BADJSON = "badjson"
    BADUTF8 = "badutf8"
    ENDLESS = "endless"
    SILENT = "silent"
    BABBLE = "babble"
    DROP = "drop"
    PING = "ping"
    SHORT = "short"
    TAIL = "tail"
    LONG = "long"
    ERROR = "error"
    ERROR_DOCUMENT = "errordoc"
    FILTER = "filter"
    LIMIT = "limit"
    BAD_GZIP = "badgzip"


class Quirk(StrEnum):
    CUT = "cut"
    TEXT = "text"
    LIST = "list"
    EMPTY = "empty"
    SAME_ID = "sameid"
    NO_ID = "noid"
    NO_INDEX = "noindex"
    UNKNOWN = "unknown"
    NO_NAME = "noname"
    WHOLE = "whole"
    LENGTH = "length"


@dataclass(frozen=True)
class Behaviour:
    """How one model of the stub answers; the fields are the options of the grammar."""

    rate: int = 0
    tokens: int = 20
    delay_ms: int = 0
    reasoning: int = 0
    calls: int = 0
    rounds: int = 0
    preamble: int = 0
    seed: int | None = None
    cut_seed: int | None = None
    failures: int | None = None
    fault_at: int | None = None
    retry_after: int | None = None
    retry_form: str = "seconds"
    nous: bool = False
    ask: bool = False
    usage: bool | None = None
    reasoning_field: str = "reasoning_content"
    streams: bool = True
    bare: bool = False
    redacted: bool = False
    window: int | None = None
    plain: bool = False
    gzip: bool = False
    leaks: bool = False
    echo: bool = False
    fault: Fault | None = None
    status: int = 200
    quirk: Quirk | None = None

    @property
    def fault_position(self) -> int:
        """After how many tokens a fault in mid-stream comes."""
        if self.fault_at is not None:
            return self.fault_at
        return (self.reasoning + self.tokens) // 2


Fields = dict[str, object]

# option: (field, highest number)
NUMBERS = {
    "r": ("rate", 100_000),
    "n": ("tokens", 10_000_000),
    "d": ("delay_ms", 600_000),
    "z": ("reasoning", 10_000_000),
    "t": ("calls", 1_000),
    "k": ("rounds", 10_000),
    "p": ("preamble", 10_000_000),
    "s": ("seed", 10**9),
    "c": ("cut_seed", 10**9),
    "x": ("failures", 1_000),
    "at": ("fault_at", 10_000_000),
    "w": ("retry_after", 100_000),
    "m": ("window", 10_000_000),
}
NUMBER_MAY_BE_ABSENT = {"c"}
WORDS: dict[str, Fields] = {
    "nous": {"nous": True},
    "ask": {"ask": True},
    "usage": {"usage": True},
    "nousage": {"usage": False},
    "reasoning": {"reasoning_field": "reasoning"},
    "think": {"reasoning_field": "think"},
    "nostream": {"streams": False},
    "bare": {"bare": True},
    "redacted": {"redacted": True},
    "plain": {"plain": True},
    "gzip": {"gzip": True},
    "leak": {"leaks": True},
    "echo": {"echo": True},
    "wdate": {"retry_form": "date"},
    "wms": {"retry_form": "ms"},
    **{f"f{fault}": {"fault": fault} for fault in Fault if fault is not Fault.STATUS},
    **{f"q{quirk}": {"quirk": quirk} for quirk in Quirk},
}


@lru_cache(maxsize=1024)
def parse(name: str) -> Behaviour:
    """The behaviour that a model's name asks for; raises UnknownModel."""
    first, *options = name.split("-")
    if first != "stub":
        raise UnknownModel(f"There is no model {name!r} here: names begin with 'stub'.")
    fields: Fields = {}
    for option in options:
        for field, value in _meaning(name, option).items():
            if field in fields:
                raise UnknownModel(f"{name}: {option!r} sets {field} a second time.")
            fields[field] = value
    return Behaviour(**_completed(fields))  # type: ignore[arg-type]  # typed by the tables above


def _meaning(name: str, option: str) -> Fields:
    if option in WORDS:
        return WORDS[option]
    match = re.fullmatch(r"([a-z]+)([0-9]{0,10})", option)
    word, digits = match.groups() if match else ("", "")
    if word == "f" and digits:
        return _failing_status(name, int(digits))
    if word not in NUMBERS or not (digits or word in NUMBER_MAY_BE_ABSENT):
        raise UnknownModel(f"{name}: no option {option!r} (see benchmarks/stub/grammar.py).")
    field, highest = NUMBERS[word]
    if int(digits or 0) > highest:
        raise UnknownModel(f"{name}: {option!r} is over {highest}.")
    return {field: int(digits or 0)}


def _failing_status(name: str, status: int) -> Fields:
    if not 300 <= status <= 599:
        raise UnknownModel(f"{name}: a failing status is 300 to 599, not {status}.")
    return {"fault": Fault.STATUS, "status": status}


def _completed(fields: Fields) -> Fields:
    """Calls imply a round of them, and rounds imply a call in each."""
    if fields.get("calls"):
        return {"rounds": 1, **fields}
    if fields.get("rounds"):
        return {**fields, "calls": 1}
    return fields
