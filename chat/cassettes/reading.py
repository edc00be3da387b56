"""Parses the file of a cassette strictly; errors name the place."""

import json
from base64 import b64decode
from collections.abc import Iterator
from math import inf
from typing import Any, cast

from django.utils.translation import gettext

from chat.cassettes.recorded import (
    Cassette,
    CassetteCall,
    CassetteCompaction,
    CassetteGeneration,
    CassetteResponse,
    CassetteRound,
    CassetteTurn,
    Opening,
    Protocol,
)
from chat.errors import BrokenCassette
from languages.later import later
from limits.replay import MAX_CASSETTE_COLLECTIONS
from tracing.export.cassettes import FORMAT, KEPT_HEADERS, VERSION

WRONG = later("This is no cassette: its format is {found!r}, not {FORMAT!r}.")
NEWER = later("This cassette is of version {found!r}; this program reads version {VERSION}.")
KINDS = {
    str: "text",
    dict: later("an object"),
    list: "a list",
    int: "a number",
    bool: later("true or false"),
}


class Node:
    """A value of the document with its place. A value of another type than requested raises
    `BrokenCassette`."""

    def __init__(self, value: Any, place: str = "") -> None:
        self.value = value
        self.place = place

    def __getitem__(self, key: str) -> "Node":
        """The value of a key; null if it is missing."""
        return Node(self.of(dict).get(key), f"{self.place}.{key}".lstrip("."))

    def __iter__(self) -> Iterator["Node"]:
        for place, value in enumerate(self.of(list)):
            yield Node(value, f"{self.place}[{place}]")

    def of(self, kind: type) -> Any:
        is_flag = isinstance(self.value, bool) and kind is not bool
        if is_flag or not isinstance(self.value, kind):
            raise self.broken(
                gettext("has to be %(kind)s, and is %(value)s")
                % {"kind": KINDS[kind], "value": _quoted(self.value)}
            )
        return self.value

    @property
    def text(self) -> str:
        return str(self.of(str))

    @property
    def number(self) -> int:
        return int(self.of(int))

    @property
    def is_null(self) -> bool:
        return self.value is None

    def text_or(self, otherwise: Any) -> Any:
        return otherwise if self.is_null else self.text

    def object_or_empty(self) -> dict[str, Any]:
        return {} if self.is_null else self.of(dict)

    def each_or_none(self) -> list["Node"]:
        return [] if self.is_null else list(self)

    def broken(self, why: str) -> BrokenCassette:
        return BrokenCassette(f"{self.place or 'The document'} {why}.")


def read(document: bytes) -> Cassette:
    """The cassette in these bytes. Raises `BrokenCassette`."""
    root = Node(_json(document))
    document_format = root["format"].value
    if document_format != FORMAT:
        raise BrokenCassette(WRONG.format(found=document_format, FORMAT=FORMAT))
    if (version := root["version"].value) != VERSION:
        raise BrokenCassette(NEWER.format(found=version, VERSION=VERSION))
    turns = tuple(_read_turn(turn) for turn in root["turns"])
    return Cassette(root["name"].text_or(""), turns)


def _json(document: bytes) -> Any:
    if document.count(b"[") + document.count(b"{") > MAX_CASSETTE_COLLECTIONS:
        raise BrokenCassette(
            gettext("The file has more than %(most)s lists and objects.")
            % {"most": f"{MAX_CASSETTE_COLLECTIONS:,}"}
        )
    try:
        return json.loads(document.decode())
    except UnicodeDecodeError as error:
        raise BrokenCassette(
            gettext("The file is not UTF-8: byte %(start)s.") % {"start": error.start}
        ) from error
    except json.JSONDecodeError as error:
        where = gettext("line %(line)s, column %(column)s") % {
            "line": error.lineno,
            "column": error.colno,
        }
        raise BrokenCassette(
            gettext("The file is not JSON: %(error)s in %(where)s.")
            % {"error": error.msg, "where": where}
        ) from error
    except (ValueError, RecursionError) as error:
        raise BrokenCassette(
            gettext("The file is JSON that cannot be read: too deep or too long.")
        ) from (error)


def _read_turn(node: Node) -> CassetteTurn:
    return CassetteTurn(
        trace=node["trace"].text_or(""),
        name=node["name"].text_or(""),
        status=node["status"].text_or("succeeded"),
        opening=_read_opening(node["opening"]),
        rounds=tuple(_read_round(each) for each in node["rounds"]),
        call=node["call"].text_or(""),
        turn=node["turn"].text_or(""),
        parent=node["parent"].text_or(""),
    )


def _read_opening(node: Node) -> Opening | None:
    if node.is_null:
        return None
    messages = [_read_message(each) for each in node["messages"]]
    return Opening(messages, [tool.of(dict) for tool in node["tools"]])


def _read_message(node: Node) -> dict[str, Any]:
    role = node["role"]
    if role.value not in ("system", "user", "assistant", "tool"):
        raise role.broken(gettext("is no role: %(value)s") % {"value": _quoted(role.value)})
    message: dict[str, Any] = node.value
    return message


def _read_round(node: Node) -> CassetteRound:
    return CassetteRound(
        number=node["number"].number,
        generations=tuple(_read_generation(each) for each in node["generations"]),
        calls=tuple(_read_call(each) for each in node["tool_calls"]),
        compactions=tuple(_read_compaction(each) for each in node["compactions"].each_or_none()),
        tools=_tools(node["tools"]),
    )


def _tools(node: Node) -> list[dict[str, Any]] | None:
    return None if node.is_null else [tool.of(dict) for tool in node]


def _read_compaction(node: Node) -> CassetteCompaction:
    return CassetteCompaction(
        layer=node["layer"].text,
        status=node["status"].text,
        generations=tuple(_read_generation(each) for each in node["generations"]),
    )


def _read_generation(node: Node) -> CassetteGeneration:
    request, protocol = node["request"], node["protocol"]
    if protocol.value not in ("openai", "anthropic"):
        raise protocol.broken(
            gettext("has to be openai or anthropic, and is %(value)s")
            % {"value": _quoted(protocol.value)}
        )
    body = _body(request)
    _check_request(request, body)
    return CassetteGeneration(
        attempt=node["attempt"].number,
        status=node["status"].text,
        error_kind=node["error_kind"].text_or(None),
        provider=node["provider"].text_or(""),
        host=node["host"].text_or(""),
        protocol=cast(Protocol, protocol.value),
        model=node["model"].text,
        dialect=node["dialect"].text_or("native"),
        parameters=node["parameters"].object_or_empty(),
        settings=node["settings"].object_or_empty(),
        method=request["method"].text_or("POST"),
        path=request["path"].text,
        body=body,
        response=_read_response(node["response"]),
    )


def _check_request(node: Node, body: bytes) -> None:
    try:
        messages = json.loads(body)["messages"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise node.broken(gettext("has a body that is no JSON object with messages")) from error
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise node.broken(gettext("has messages that are no list of objects"))


def _read_response(node: Node) -> CassetteResponse | None:
    if node.is_null:
        return None
    body, chunks = _body(node), tuple(_chunk(each) for each in node["chunks"])
    if sum(length for _, length in chunks) != len(body):
        raise node["chunks"].broken(
            gettext("do not make up the body of %(count)s bytes") % {"count": len(body)}
        )
    status = node["status"]
    if not 100 <= status.number <= 599:
        raise status.broken(gettext("is no HTTP status: %(number)s") % {"number": status.number})
    return CassetteResponse(
        status.number, tuple(_header(each) for each in node["headers"]), body, chunks
    )


def _chunk(node: Node) -> tuple[float, int]:
    match node.of(list):
        case [int() | float() as at, int() as length] if 0 <= at < inf and length >= 0:
            return float(at), length
    raise node.broken(gettext("has to be [milliseconds, bytes]"))


def _header(node: Node) -> tuple[str, str]:
    match node.of(list):
        case [str(name), str(value)] if name.lower() in KEPT_HEADERS and _is_plain(value):
            return name.lower(), value
    known = ", ".join(sorted(KEPT_HEADERS))
    raise node.broken(
        gettext("has to be [name, value] of plain characters, the name one of %(known)s")
        % {"known": known}
    )


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _body(node: Node) -> bytes:
    if not node["body"].is_null:
        return str(node["body"].text).encode(errors="surrogatepass")
    encoded = node["body_base64"]
    try:
        return b64decode(encoded.text, validate=True)
    except ValueError as error:
        raise encoded.broken(gettext("is not base64")) from error


def _read_call(node: Node) -> CassetteCall:
    return CassetteCall(
        id=node["id"].text_or(""),
        span=node["span"].text_or(""),
        name=node["name"].text,
        arguments=node["arguments"].text_or(""),
        edited_arguments=node["edited_arguments"].text_or(None),
        result=_result(node["result"]),
        shown=node["shown"].text_or(None),
        is_error=bool(node["is_error"].value),
        status=node["status"].text,
        error=node["error"].text_or(""),
        denied_by=node["denied_by"].text_or(None),
        duration_ms=_duration(node["duration_ms"]),
    )


def _result(node: Node) -> dict[str, Any] | None:
    if node.is_null:
        return None
    for block in node["content"]:
        block.of(dict)
    result: dict[str, Any] = node.value
    return result


def _duration(node: Node) -> float | None:
    if node.is_null or isinstance(node.value, float):
        return node.value  # type: ignore[no-any-return]  # a float or None
    return float(node.number)


def _quoted(value: Any) -> str:
    """The value as JSON, truncated for an error message."""
    text = json.dumps(value, ensure_ascii=False)
    return "missing" if value is None else text if len(text) <= 60 else f"{text[:57]}…"
