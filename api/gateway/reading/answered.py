"""A response as the trace shows it: the canonical message, usage, and what is wrong with it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any, cast

from api.gateway.reading import responses
from api.gateway.reading.given import Protocol
from api.gateway.reading.values import Object, object_of, text
from chat.llm.call_timings import TOKEN_MEMBERS
from chat.llm.dialects import dialect
from chat.llm.dialects.contract import Answer, StreamParser
from chat.llm.messages import Message
from languages.stored import stored
from wire.anthropic_messages import MessageEvents
from wire.chat_completions import CompletionEvents
from wire.chunks import Chunk, Item, ReportedError, joined
from wire.response import ResponseReader

Chunks = Sequence[tuple[float, int]]


@dataclass
class Answered:
    """`first_token_ms`: since the request was sent. `problem`: a sentence."""

    answer: Answer | None = None
    usage: Object | None = None
    finish_reason: str | None = None
    model: str | None = None
    id: str | None = None
    problem: str = ""
    first_token_ms: float | None = None
    # Protocols in which the answer has no origins in the response.
    message: Message | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def calls_tools(self) -> bool:
        message = self.answer.message if self.answer else self.message
        return bool(message and message.get("tool_calls"))

    def output(self) -> dict[str, Any] | None:
        """The stage `output`, as the engine writes it."""
        if self.answer is None:
            if self.message is None:
                return None
            return {"message": self.message, "errors": [], "origins": [], "reissued": {}}
        places = [problem.place() for problem in self.answer.problems]
        return {
            "message": self.answer.message,
            **({"kept": self.answer.kept} if self.answer.kept else {}),
            "errors": self.answer.errors,
            **({"error_places": places} if places else {}),
            "origins": [asdict(origin) for origin in self.answer.origins],
            "reissued": self.answer.reissued,
        }


def read_response(protocol: Protocol, body: bytes, chunks: Chunks) -> Answered:
    """`body` is decompressed; `chunks` are its arrivals, none if they are not those of the body."""
    if not body:
        return Answered(problem=stored("There is not one byte."))
    match protocol:
        case "chat":
            return _read(
                ResponseReader(CompletionEvents()), dialect("native").stream(), body, chunks
            )
        case "anthropic":
            return _read(
                ResponseReader(MessageEvents()), dialect("anthropic").stream(), body, chunks
            )
        case "responses":
            return _read_responses(body)
    return _read_other(body)


def error_of(body: bytes) -> str:
    """What a provider says in an answer that is an error: OpenAI's `error.message`, Anthropic's,
    or the beginning of the text."""
    value = object_of(body) or {}
    error = value.get("error")
    if isinstance(error, dict):
        return text(error.get("message"))[:500]
    message = text(error) or text(value.get("message")) or text(value.get("detail"))
    return message[:500] or " ".join(body[:300].decode(errors="replace").split())


def _read(reader: ResponseReader, parser: StreamParser, body: bytes, chunks: Chunks) -> Answered:
    answered = Answered()
    refusal: str | None = None
    for moment, item in _items(reader, body, chunks):
        if not isinstance(item, Chunk):
            answered.problem = _sentence(item)
            break
        if answered.first_token_ms is None and any(map(item.delta.get, TOKEN_MEMBERS)):
            answered.first_token_ms = moment
        parser.feed(item.delta)
        answered.model = item.model or answered.model
        answered.id = item.id or answered.id
        answered.usage = item.usage or answered.usage
        answered.finish_reason = item.finish_reason or answered.finish_reason
        refusal = item.refusal or refusal
    _, answer = parser.finish(answered.finish_reason)
    if refusal:
        answer = replace(answer, message=cast(Message, {**answer.message, "refusal": refusal}))
    answered.answer, answered.notes = answer, answer.notes
    return answered


def _items(
    reader: ResponseReader, body: bytes, chunks: Chunks
) -> Iterator[tuple[float | None, Item]]:
    """The items with the moment of the arrival that they came in, up to the first token; then all
    at once."""
    at, moments = 0, iter(chunks)
    for moment, length in moments:
        items = reader.feed(body[at : at + length])
        at += length
        yield from ((moment, item) for item in items)
        if any(isinstance(one, Chunk) and any(map(one.delta.get, TOKEN_MEMBERS)) for one in items):
            break
    rest = reader.feed(body[at:]) if at < len(body) else []
    yield from ((None, item) for item in joined([*chain(rest, reader.finish())]))


def _sentence(item: Item) -> str:
    if isinstance(item, ReportedError):
        error = item.error
        said = error if isinstance(error, str) else text(_innermost(error).get("message"))
        return stored("The provider reported an error: %(said)s", said=said[:500])
    assert not isinstance(item, Chunk)
    return stored("The answer is not complete: %(why)s.", why=item.kind.value)


def _innermost(error: Object) -> Object:
    inner = error.get("error")
    return inner if isinstance(inner, dict) else error


def _read_responses(body: bytes) -> Answered:
    response = responses.response_of(body)
    if response is None:
        return Answered(problem=stored("The response does not come to its end."))
    message = responses.message_of(response)
    error = response.get("error")
    said = text(error.get("message"))[:500] if isinstance(error, dict) else ""
    return Answered(
        message=message,
        usage=responses.usage_of(response),
        finish_reason=responses.finish_reason_of(response, message),
        model=text(response.get("model")) or None,
        id=text(response.get("id")) or None,
        problem=stored("The provider reported an error: %(said)s", said=said) if said else "",
    )


def _read_other(body: bytes) -> Answered:
    """Embeddings and what else has a usage."""
    value = object_of(body) or {}
    usage = value.get("usage")
    return Answered(
        usage=usage if isinstance(usage, dict) else None, model=text(value.get("model")) or None
    )
