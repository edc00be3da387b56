"""What is fuzzed, and what must hold. A target takes a grammar and makes and runs one case."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from chat.llm.dialects import DIALECTS
from chat.llm.dialects.contract import Answer, Dialect, Part, TextDelta
from chat.llm.errors import LLMError
from chat.llm.json_text import parse_json
from chat.llm.transcode import READERS, WRITERS, Direction, from_dialect, from_stream, to_dialect
from chat.llm.transcode import transcode as run
from chat.tests.llm.vectors.make import VECTORS
from tests.fuzz.answers import Answers
from tests.fuzz.grammar import Grammar
from wire.anthropic_messages import MessageEvents
from wire.chat_completions import CompletionEvents
from wire.chunks import Chunk, ProtocolEvents, ReadProblem
from wire.response import ResponseReader
from wire.sse import EventStream, StreamEvent

Target = Callable[[Grammar], None]
SEEDS = [
    json.loads(line)["input"]
    for line in VECTORS.read_text(encoding="utf-8").removesuffix("\n").split("\n")
]
# A case of the linear ones has 30,000 characters; one that is not would take minutes.
LONG = 30_000
MOST_CPU_SECONDS = 10.0


def streamed(
    dialect: Dialect, deltas: Iterable[Mapping[str, Any]]
) -> tuple[list[TextDelta], Answer]:
    parser = dialect.stream()
    shown = [delta for step in deltas for delta in parser.feed(step)]
    last, answer = parser.finish()
    return shown + last, answer


def applied(deltas: Iterable[TextDelta], part: Part) -> str:
    text = ""
    for delta in deltas:
        if delta.part == part:
            text = delta.text if delta.restart else text + delta.text
    return text


def cut_anywhere(dialect: Dialect, grammar: Grammar) -> None:
    """However an answer is cut, it is the same, and what was shown is it."""
    answers = Answers(grammar)
    said = answers.whole(dialect.name)
    whole = dialect.answer(said)
    deltas, answer = streamed(dialect, answers.cut(dialect.name, said))
    assert without_ids(answer) == without_ids(whole)
    assert answer.kept == whole.kept
    assert applied(deltas, "content") == answer.content
    assert applied(deltas, "reasoning") == answer.message.get("reasoning_content", "")
    json.dumps(answer.message, ensure_ascii=False).encode()
    if dialect.name == "nous":
        assert_no_tag_shows(said["content"], answer)


def anything_said(dialect: Dialect, grammar: Grammar) -> None:
    """Whatever a server sends, there is an answer; the stages of the trace can be written."""
    said = [grammar.object() for _ in range(grammar.random.randint(0, 5))]
    deltas, answer = streamed(dialect, said)
    assert applied(deltas, "content") == answer.content
    json.dumps([answer.message, answer.kept, answer.errors], ensure_ascii=False)
    ids = [call["id"] for call in answer.tool_calls]
    assert all(ids) and len(set(ids)) == len(ids)


def long_answer(dialect: Dialect, grammar: Grammar) -> None:
    """Reading takes time in proportion to what is read, whatever is repeated in it."""
    unit = grammar.text(4) or "<"
    text = (unit * (LONG // len(unit) + 1))[:LONG]
    began = time.process_time()
    if dialect.name == "anthropic":
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}
        streamed(
            dialect,
            [
                block,
                *(
                    {"type": "content_block_delta", "index": 0, "delta": {"text": one}}
                    for one in text
                ),
            ],
        )
    else:
        streamed(dialect, ({"content": one} for one in text))
        dialect.answer({"content": text})
    assert time.process_time() - began < MOST_CPU_SECONDS, f"slow: {unit!r}"


def hidden_reasoning(grammar: Grammar) -> None:
    """In nous nothing of what stands between the tags of thinking is ever shown as content."""
    thought = grammar.text().replace("</think>", "") + "CANARY"
    text = f"{grammar.random.choice(('', ' '))}<think>{thought}</think>{grammar.text()}"
    if "CANARY" in text.partition("</think>")[2]:
        return
    pieces = [{"content": text[cut]} for cut in grammar.cuts(len(text))]
    deltas, _ = streamed(DIALECTS["nous"], pieces)
    assert "CANARY" not in "".join(delta.text for delta in deltas if delta.part == "content")


def server_events(grammar: Grammar) -> None:
    """An event stream says the same however its bytes are cut."""
    body = stream_of(grammar, grammar.random.choice(("\n", "\r\n", "\r")))
    whole = events_of([body])
    assert events_of([body[cut] for cut in grammar.cuts(len(body))]) == whole


def chunks(
    events: Callable[[], ProtocolEvents], dialects: Sequence[Dialect], grammar: Grammar
) -> None:
    """A response says the same, or has the same problem, however it is cut; parsers take it."""
    body = stream_of(grammar, "\n")
    whole, problem = chunks_of(events, [body])
    cut, its_problem = chunks_of(events, [body[one] for one in grammar.cuts(len(body))])
    assert (cut, its_problem) == (whole, problem)
    for dialect in dialects:
        streamed(dialect, [chunk.delta for chunk in whole])


def transcode(direction: Direction, grammar: Grammar) -> None:
    """Every input gives one line of JSON; an input that is refused is refused in words of ours."""
    if grammar.random.random() < 0.7:
        given = grammar.mutated_value(grammar.random.choice(SEEDS))
    else:
        given = grammar.value()
    text = json.dumps(given)
    if grammar.random.random() < 0.2:
        text = grammar.mutated(text)
    line, _ = run(direction, text.encode(errors="surrogatepass"))
    assert "\n" not in line
    json.loads(line.encode())
    try:
        direction.convert(parse_json(text))
    except (LLMError, ValueError):
        return


def without_ids(answer: Answer) -> Any:
    """The message, ids replaced by places and arguments that are JSON by what they mean."""
    calls = [
        {"name": call["function"]["name"], "arguments": meaning(call["function"]["arguments"])}
        for call in answer.tool_calls
    ]
    return {**answer.message, "tool_calls": calls}, answer.errors


def meaning(arguments: str) -> Any:
    try:
        return repr(parse_json(arguments))
    except ValueError:
        return arguments


def assert_no_tag_shows(said: str, answer: Answer) -> None:
    """No range of the text that became content holds a tag. (Two of them, a call between, may look
    like one.)"""
    if any("\ud800" <= letter <= "\udfff" for letter in said):
        return  # origins count the characters that these become
    for origin in answer.origins:
        if origin.became == "content":
            shown = said[origin.start : origin.end]
            assert "<tool_call>" not in shown
            assert "</tool_call>" not in shown


def stream_of(grammar: Grammar, line_end: str) -> bytes:
    """The bytes of an event stream, broken now and then."""
    lines: list[str] = []
    for _ in range(grammar.random.randint(0, 6)):
        kind = grammar.random.choice(("", "", "event: error", ": a comment", "id: 1", "retry: x"))
        data = grammar.random.choice((_chunk(grammar), _event(grammar), "[DONE]", grammar.text(3)))
        lines += [*([kind] if kind else []), f"data: {data}", ""]
    body = (line_end.join(lines) + line_end).encode(errors="replace")
    if grammar.random.random() < 0.3:
        body = grammar.mutated(body.decode("latin-1")).encode("latin-1", errors="ignore")
    return body


def _chunk(grammar: Grammar) -> str:
    choice = {"index": 0, "delta": Answers(grammar).whole("native")}
    if grammar.random.random() < 0.3:
        choice["finish_reason"] = "stop"
    return json.dumps(grammar.mutated_value({"id": "1", "choices": [choice], "usage": None}))


def _event(grammar: Grammar) -> str:
    answers = Answers(grammar)
    start: Any = {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 1}}}
    stop: Any = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}}
    events = [start, *answers.cut("anthropic", answers.whole("anthropic")), stop]
    event = grammar.random.choice(events)
    return json.dumps(grammar.mutated_value(event) if grammar.random.random() < 0.5 else event)


def events_of(pieces: Iterable[bytes]) -> list[StreamEvent]:
    stream = EventStream()
    events = [event for piece in pieces for event in stream.feed(piece)]
    rest = stream.rest()
    return [*events, rest] if rest else events


def chunks_of(
    events: Callable[[], ProtocolEvents], pieces: Iterable[bytes]
) -> tuple[list[Chunk], ReadProblem | None]:
    reader = ResponseReader(events())
    read = [item for piece in pieces for item in reader.feed(piece)] + reader.finish()
    return [item for item in read if isinstance(item, Chunk)], reader.problem


COMPLETIONS = [dialect for dialect in DIALECTS.values() if dialect.name != "anthropic"]
TARGETS: dict[str, Target] = {
    **{f"cut {name}": partial(cut_anywhere, one) for name, one in DIALECTS.items()},
    **{f"anything {name}": partial(anything_said, one) for name, one in DIALECTS.items()},
    **{f"long {name}": partial(long_answer, one) for name, one in DIALECTS.items()},
    "reasoning nous": hidden_reasoning,
    "server events": server_events,
    "chunks of completions": partial(chunks, CompletionEvents, COMPLETIONS),
    "chunks of messages": partial(chunks, MessageEvents, [DIALECTS["anthropic"]]),
    **{f"to {name}": partial(transcode, to_dialect(name)) for name in WRITERS},
    **{f"from {name}": partial(transcode, from_dialect(name)) for name in READERS},
    **{f"stream of {name}": partial(transcode, from_stream(name)) for name in DIALECTS},
}
