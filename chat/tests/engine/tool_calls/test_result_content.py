"""What a model is given of results with images, and of results that are too long."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from chat.engine.tool_calls import call_claims, call_outcome
from chat.engine.tool_calls.result_content import content_attributes, earlier_text, handle_of
from chat.engine.turn.advance import advance
from chat.models import Attachment, LanguageModel, Message, Turn
from chat.tests.engine.conftest import answer_rings
from tools.calls.execution import ToolResult
from tools.tests.servers import rich
from tracing.models import Payload, Span
from tracing.store import payloads

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def answered(model: Model, send: Send) -> Callable[..., Turn]:
    """A turn whose one call comes back with a result."""

    def run(result: ToolResult, *, sees: bool = False) -> Turn:
        chosen = model("stub-r0-t1-n5")
        LanguageModel.objects.filter(pk=chosen.pk).update(takes_images=sees)
        turn = send(chosen)
        advance(turn.pk)
        call = call_claims.claim_call(Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL).pk)
        assert call is not None
        call_claims.mark_sent(call)
        call_outcome.finish_call(call, result)
        return answer_rings(turn)

    return run


def requested(turn: Turn) -> dict[str, Any]:
    """The request of a turn's second round."""
    stored = Payload.objects.filter(span__trace=turn.trace, stage="request").order_by("id")
    second = stored.select_related("span__trace")[1]
    body: dict[str, Any] = json.loads(payloads.load(second))
    return body


def picture() -> ToolResult:
    return ToolResult(rich.RESULTS["picture"]["content"])


def test_a_model_that_reads_images_is_given_those_of_a_result(
    answered: Callable[..., Turn],
) -> None:
    said, shown = requested(answered(picture(), sees=True))["messages"][-2:]
    assert said["role"] == "tool"
    assert said["content"].startswith("A gradient.\n[image, image/png")
    assert shown["role"] == "user"
    data = rich.RESULTS["picture"]["content"][1]["data"]
    assert shown["content"][1]["image_url"]["url"] == f"data:image/png;base64,{data}"


def test_another_model_reads_that_there_is_an_image(answered: Callable[..., Turn]) -> None:
    said = requested(answered(picture()))["messages"][-1]
    assert said["role"] == "tool"
    assert "is left out" in json.dumps(said["content"])


def test_an_image_of_a_result_belongs_to_its_message(answered: Callable[..., Turn]) -> None:
    turn = answered(picture())
    kept = Attachment.objects.get()
    assert bytes(kept.content) == rich.png()
    assert kept.message == Message.objects.get(turn=turn, role="tool")


def test_reading_on_is_offered_once_something_was_cut(
    answered: Callable[..., Turn], settings: Settings
) -> None:
    settings.TOOL_RESULT_CHARACTERS = 1000
    turn = answered(ToolResult.of_text(rich.LONG))
    request = requested(turn)
    assert request["tools"][-1]["function"]["name"] == "read_result"
    call = Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL)
    assert f'call="{handle_of(call)}"' in request["messages"][-1]["content"]
    assert earlier_text(turn.conversation.archive, handle_of(call)) == rich.LONG


def test_reading_on_is_not_offered_without_need(answered: Callable[..., Turn]) -> None:
    tools = requested(answered(ToolResult.of_text("short")))["tools"]
    assert "read_result" not in [tool["function"]["name"] for tool in tools]


@pytest.mark.parametrize("handle", ["", "zzzzzzzz", "00000000", "%", "0a1b2c3d4e"])
def test_a_handle_of_nothing_finds_nothing(answered: Callable[..., Turn], handle: str) -> None:
    turn = answered(ToolResult.of_text("short"))
    assert earlier_text(turn.conversation.archive, handle) is None


@pytest.mark.parametrize(
    ("tool", "noted"),
    [("structured", True), ("table", False), ("tree", False)],
)
def test_structured_content_is_noted_where_the_text_says_something_else(
    tool: str, noted: bool
) -> None:
    answer = rich.RESULTS[tool]
    content, structured = answer["content"], answer.get("structuredContent")
    if tool == "table":
        structured = rich.ROWS
    assert ("structured" in content_attributes(ToolResult(content, structured))) is noted
