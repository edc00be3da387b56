"""Turns of the running product, as Phoenix has them afterwards."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from benchmarks.product import Product, running_product
from benchmarks.stub import running_stub
from chat.cassettes.walkthrough import questions
from tests.environment import clean_environment
from tests.phoenix import receiver
from tests.phoenix.receiver import Phoenix, running_phoenix

pytestmark = [
    pytest.mark.process,
    pytest.mark.phoenix,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not receiver.is_installed(), reason="`make phoenix` installs Phoenix"),
]

FAILS_ONCE = "stub-r0-n5-x1-f503"
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Seen:
    """A turn of the product, and the spans that Phoenix has of it."""

    turn: dict[str, Any]
    spans: list[dict[str, Any]]

    @property
    def tree(self) -> list[tuple[str, str, str]]:
        """Name, kind and the parent's name, of each span."""
        names = {span["context"]["span_id"]: span["name"] for span in self.spans}
        return [
            (span["name"], span["span_kind"], names.get(span["parent_id"] or "", ""))
            for span in self.spans
        ]

    def named(self, name: str) -> list[dict[str, Any]]:
        return [span for span in self.spans if span["name"] == name]


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phoenix]:
    with running_phoenix(tmp_path_factory.mktemp("phoenix")) as running:
        yield running


@pytest.fixture(scope="module")
def seen(phoenix: Phoenix) -> Iterator[dict[str, Seen]]:
    """Two questions of the walkthrough in one conversation, and one whose first attempt fails."""
    exporting = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": phoenix.url,
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
    }
    with running_stub() as stub, running_product({**clean_environment(), **exporting}) as product:
        product.seed(f"{stub.url}/v1", [FAILS_ONCE], 1)
        walked = [("walkthrough", text) for text in questions()[:2]]
        first, second = asked(product, walked, together=True)
        (retried,) = asked(product, [(FAILS_ONCE, "hello")], together=False)
        turns = {"first": first, "second": second, "retried": retried}
        yield {name: Seen(turn, arrived(phoenix, turn["trace"])) for name, turn in turns.items()}


def asked(product: Product, texts: list[tuple[str, str]], *, together: bool) -> list[Any]:
    wanted = {"questions": texts, "together": together}
    turns: list[Any] = product.run("tests.phoenix.asking", wanted)
    assert [turn["status"] for turn in turns] == ["done"] * len(texts), turns
    return turns


def arrived(phoenix: Phoenix, trace: str) -> list[dict[str, Any]]:
    """All spans of a trace came in one request, so that the first one seen means all."""
    until = time.monotonic() + PATIENCE_S
    while not (found := phoenix.spans(trace)) and time.monotonic() < until:
        time.sleep(0.5)
    return found


def test_the_tree_and_the_kinds(seen: dict[str, Seen]) -> None:
    query = ("execute_tool sqlite-read_query", "TOOL", "round 1")
    assert sorted(seen["second"].tree) == sorted(
        [
            ("invoke_agent Walkthrough", "AGENT", ""),
            ("round 1", "CHAIN", "invoke_agent Walkthrough"),
            ("chat walkthrough", "LLM", "round 1"),
            query,
            query,
            query,
            ("round 2", "CHAIN", "invoke_agent Walkthrough"),
            ("chat walkthrough", "LLM", "round 2"),
        ]
    )


def test_question_and_answer_are_those_of_the_turn(seen: dict[str, Seen]) -> None:
    (root,) = seen["first"].named("invoke_agent Walkthrough")
    turn = seen["first"].turn
    assert root["attributes"]["input.value"] == turn["question"]
    assert root["attributes"]["output.value"] == turn["answer"]
    assert root["status_code"] == "OK"


def test_messages_and_tool_calls(seen: dict[str, Seen]) -> None:
    found = seen["first"].named("chat walkthrough")[1]["attributes"]
    roles = [found[f"llm.input_messages.{place}.message.role"] for place in range(4)]
    assert roles == ["system", "user", "assistant", "tool"]
    call = "llm.input_messages.2.message.tool_calls.0.tool_call"
    assert found[f"{call}.function.name"] == "sqlite-list_tables"
    answered = found["llm.input_messages.3.message.tool_call_id"]
    assert answered == found[f"{call}.id"]
    assert found["llm.output_messages.0.message.content"] == seen["first"].turn["answer"]


def test_calls_have_arguments_results_and_what_mcp_says(seen: dict[str, Seen]) -> None:
    calls = [span["attributes"] for span in seen["second"].named("execute_tool sqlite-read_query")]
    asked_for = {json.loads(call["input.value"])["query"] for call in calls}
    assert "SELECT COUNT(*) FROM students" in asked_for
    assert all("COUNT(*)" in call["output.value"] for call in calls)
    assert {call["mcp.method.name"] for call in calls} == {"tools/call"}
    assert {call["network.transport"] for call in calls} == {"pipe"}
    assert len({call["jsonrpc.request.id"] for call in calls}) == 3


def test_tokens_are_counted(seen: dict[str, Seen], phoenix: Phoenix) -> None:
    spans = seen["first"].named("chat walkthrough")
    counted = [span["attributes"]["llm.token_count.total"] for span in spans]
    assert all(isinstance(count, int) and count > 0 for count in counted)
    assert phoenix.tokens(seen["first"].turn["trace"]) == sum(counted)


def test_a_failed_attempt_stands_beside_the_good_one(seen: dict[str, Seen]) -> None:
    attempts = seen["retried"].named(f"chat {FAILS_ONCE}")
    assert [attempt["status_code"] for attempt in attempts] == ["ERROR", "OK"]
    assert attempts[0]["attributes"]["error.type"] == "StatusFailure"


def test_a_conversation_is_a_session(seen: dict[str, Seen], phoenix: Phoenix) -> None:
    turns = [seen["first"].turn, seen["second"].turn]
    traces = phoenix.session(turns[0]["conversation"])
    assert sorted(traces) == sorted(turn["trace"] for turn in turns)
