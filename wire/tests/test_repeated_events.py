"""Events that are read by the template of an earlier one: what they hold is what a full reading
gives."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wire.anthropic_messages import MessageEvents
from wire.chat_completions import CompletionEvents
from wire.chunks import Item, ProtocolEvents
from wire.sse import ServerEvent

TEXTS = st.one_of(
    st.sampled_from(["m", "a", "text", "text_delta", '"', "\\", "\n", "\u2028", "\x7f", "", "三"]),
    st.text(max_size=8),
)
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "role": st.just("assistant"),
        "reasoning": st.just("a"),
        "refusal": st.none(),
        "tool_calls": st.none(),
    },
)
EXTRAS: list[dict[str, Any]] = [{}, {}, {"usage": {"total_tokens": 1}}, {"padding": "a"}]
ENDS = st.sampled_from([None, None, None, "stop"])


def chunk(delta: dict[str, Any], end: str | None, model: str, extra: dict[str, Any]) -> Any:
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    return {"id": "a", "model": model, "choices": [choice], **extra}


@st.composite
def completions(draw: st.DrawFn) -> list[str]:
    """The data of events that differ in little but their contents, each as one writer encodes it,
    and some of them broken."""
    datas = []
    for _ in range(draw(st.integers(1, 8))):
        delta = {**draw(MEMBERS), draw(st.sampled_from(["content", "reasoning"])): draw(TEXTS)}
        extra = draw(st.sampled_from(EXTRAS))
        value = chunk(delta, draw(ENDS), draw(st.sampled_from(["m", "text"])), extra)
        data = json.dumps(value, ensure_ascii=draw(st.booleans()))
        datas.append(data.replace("a", draw(st.sampled_from(["a", "a", '","content":"b', "\t"]))))
    return datas


@st.composite
def messages(draw: st.DrawFn) -> list[str]:
    datas = []
    for _ in range(draw(st.integers(1, 8))):
        key = draw(st.sampled_from(["text", "thinking", "partial_json"]))
        value: dict[str, Any] = {
            "type": "content_block_delta",
            "delta": {"type": "text_delta", key: draw(TEXTS)},
        }
        if draw(st.booleans()):
            value["index"] = draw(st.integers(0, 1))
        if not draw(st.integers(0, 4)):
            value = {"type": "content_block_start", "content_block": {"type": "text"}}
        datas.append(json.dumps(value, ensure_ascii=draw(st.booleans())))
    return datas


def read(events: ProtocolEvents, datas: list[str]) -> list[Item | None]:
    return [events.read(ServerEvent(data)) for data in datas]


class Untaught:
    """In place of `RepeatedEvents`: no event is read by a template."""

    def chunk_of(self, event: object) -> None: ...
    def learn(self, event: object, chunk: object) -> None: ...
    def forget(self) -> None: ...


def untaught(events: Any) -> Any:
    events._repeated = Untaught()
    return events


@given(completions())
def test_completions_are_read_as_in_full(datas: list[str]) -> None:
    assert read(CompletionEvents(), datas) == read(untaught(CompletionEvents()), datas)


@given(messages())
def test_messages_are_read_as_in_full(datas: list[str]) -> None:
    assert read(MessageEvents(), datas) == read(untaught(MessageEvents()), datas)


def test_an_answer_is_parsed_once_and_again_where_a_text_is_escaped(monkeypatch: Any) -> None:
    parsed = []

    def loads(data: str) -> Any:
        parsed.append(data)
        return json.loads(data)

    monkeypatch.setattr("wire.json_values.loads", loads)
    datas = [json.dumps(chunk({"content": f"{n} "}, None, "m", {})) for n in range(1000)]
    assert all(read(CompletionEvents(), datas))
    assert len(parsed) == 2  # the first, and the check that its template is right


def test_events_that_all_differ_are_not_parsed_twice_for_ever(monkeypatch: Any) -> None:
    parsed = []

    def loads(data: str) -> Any:
        parsed.append(data)
        return json.loads(data)

    monkeypatch.setattr("wire.json_values.loads", loads)
    datas = [json.dumps(chunk({"content": "a "}, None, "m", {"n": n})) for n in range(1000)]
    assert all(read(CompletionEvents(), datas))
    assert len(parsed) <= 1000 + 3
