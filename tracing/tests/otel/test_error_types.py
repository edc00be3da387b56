"""The status of an exported span, and its `error.type`."""

from typing import Any

import pytest

from tracing.tests.builders import ATurn
from tracing.tests.otel.exporting import export, model_call
from tracing.tests.otel.receiver import Receiver, attributes
from tracing.tests.otel.turns import a_call, a_finished_turn

pytestmark = pytest.mark.django_db


def test_a_failed_attempt_is_an_error(receiver: Receiver) -> None:
    export(a_finished_turn())
    failed = model_call(receiver, 0)
    assert (failed.status.code, attributes(failed)["error.type"]) == (2, "503")
    assert failed.status.message == "503"
    assert attributes(failed)["roundtrip.attempt"] == 1


@pytest.mark.parametrize(
    ("status", "met", "code", "kind"),
    [
        ("failed", {}, 2, "tool_error"),
        ("failed", {"error_code": "-32602"}, 2, "-32602"),
        ("outcome_unknown", {}, 2, "outcome_unknown"),
        ("denied", {}, 0, None),
        ("cancelled", {}, 0, None),
    ],
)
def test_what_a_person_chose_is_no_error(
    receiver: Receiver, status: str, met: dict[str, str], code: int, kind: str | None
) -> None:
    turn = ATurn()
    turn.a_round(1, (0, 900))
    a_call(turn, status=status, attributes={"server": "db", "mcp": met})
    turn.end(900)
    export(turn)
    span = receiver.named("execute_tool db-query")
    assert (span.status.code, attributes(span).get("error.type")) == (code, kind)


@pytest.mark.parametrize(
    ("noted", "kind"),
    [
        ({"error_kind": "StatusFailure", "status_code": 429}, "429"),
        ({"error_kind": "NotAStream", "status_code": 200}, "not_a_stream"),
        ({"error_kind": "Stalled", "status_code": 200}, "timeout"),
        ({"error_kind": "Overdue"}, "timeout"),
        ({"error_kind": "ConnectFailed"}, "connect_failed"),
        ({"error_kind": "any words at all"}, "_OTHER"),
        ({}, "_OTHER"),
    ],
)
def test_a_call_and_what_it_ended_fail_by_status_or_kind(
    receiver: Receiver, noted: dict[str, Any], kind: str
) -> None:
    turn = ATurn()
    turn.root.status = "failed"
    turn.root.save()
    turn.a_round(1, (0, 900), status="failed")
    turn.a_generation({}, (0, 900), status="failed", attributes={"model": "qwen", **noted})
    turn.end(900, "failed")
    export(turn)
    for name in ("invoke_agent Roundtrip", "round 1", "chat qwen"):
        assert attributes(receiver.named(name))["error.type"] == kind


def test_a_turn_that_a_ceiling_ended_did_not_fail_by_its_model_call(receiver: Receiver) -> None:
    turn = a_finished_turn()
    turn.root.status = "failed"
    turn.root.save()
    export(turn)
    assert attributes(receiver.named("invoke_agent Roundtrip"))["error.type"] == "_OTHER"
