"""Steps around functions that take their input in pieces, from a file, or from an address."""

import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.http import QueryDict

from chat.agent import skill_files
from chat.files import previews
from chat.llm import length_refusal
from chat.llm.dialects import DIALECTS
from chat.llm.dialects.contract import StreamParser
from chat.llm.failures import status_failure
from chat.llm.stream_failures import stream_failure
from chat.markdown import BlockSplitter
from chat.markdown.budget import RenderBudget
from chat.markdown.highlight import highlight
from chat.sharing.secret_texts import Masking
from db.fields import dump_json
from tools.mcp.transports.lines import Lines, parse
from tools.values.tool import Tool
from tracing.list.trace_filter import read
from wire import recorded
from wire.chat_completions import CompletionEvents
from wire.chunks import Chunk, Item
from wire.response import ResponseReader


def tool(schema: Any) -> Tool:
    return Tool("x", "", schema)


def masked(text: str) -> str:
    """What others are shown of a text, with some secrets that the server keeps."""
    return Masking([f"kept-secret-{number}" for number in range(20)]).text(text)


def response(pieces: Iterable[bytes], dialect: str = "native") -> None:
    """A streamed answer from its bytes to a message. Raises as the parts do."""
    reader, parser = ResponseReader(CompletionEvents()), DIALECTS[dialect].stream()
    for piece in pieces:
        _feed(parser, reader.feed(piece))
    _feed(parser, reader.finish())
    parser.finish()


def _feed(parser: StreamParser, items: Iterable[Item]) -> None:
    for item in items:
        if not isinstance(item, Chunk):
            raise stream_failure(item)
        parser.feed(item.delta)


def read_response(body: bytes) -> None:
    """What a response says, for the trace page."""
    recorded.read_response(body, dump_json)


def read_pieces(body: bytes) -> None:
    """What a response says piece by piece, for the player of the trace page."""
    recorded.read_pieces(body, dump_json)


def blocks(deltas: Iterable[str]) -> None:
    """Markdown while it streams."""
    splitter = BlockSplitter()
    for delta in deltas:
        splitter.feed(delta)
    splitter.finish()


def server_lines(chunks: Iterable[bytes]) -> None:
    """What a program writes as an MCP server."""
    cutter = Lines()
    for chunk in chunks:
        for line in cutter.feed(chunk):
            parse(line)
    parse(cutter.rest())


def preview(name: str, content: bytes) -> None:
    """A file in somebody's workspace."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(content)
        previews.preview(Path(folder), name)


def skill(content: str) -> None:
    """A folder of a skill."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / skill_files.FILE).write_text(content)
        skill_files.read(Path(folder))


def trace_filter(address: str) -> None:
    """The address of a filtered list of traces."""
    read(QueryDict(address), UTC)


def fence(language: str, code: str) -> None:
    """Code in the processes that highlight."""
    highlight(code, language, RenderBudget(seconds=0.03, seconds_per_character=0))


def provider_error(body: bytes) -> None:
    """What a provider says of a request that it refuses."""
    length_refusal.refusal_of(status_failure(400, {}, body, datetime.now(UTC)))
