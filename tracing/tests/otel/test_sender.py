"""What is sent when, and what a collector that does not take it changes."""

import logging
import os
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from limits.export import MAX_ANSWERING_MODELS
from tracing.export.otlp import due, switch
from tracing.export.otlp.beat import ExportBeat
from tracing.export.otlp.sender import Sender
from tracing.models import Collector, Trace
from tracing.tests.builders import ATurn
from tracing.tests.otel.receiver import Receiver, attributes, running_receiver
from tracing.tests.otel.turns import a_finished_turn

pytestmark = pytest.mark.django_db

KEY = "sk-canary-otlp"


class Clock:
    """The time of the pauses, and of nothing else."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.3")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"authorization=Bearer%20{KEY}")
    return made


def switched_on(ago: timedelta = timedelta(hours=1)) -> None:
    Collector.objects.create(place=switch.place(), since=timezone.now() - ago)


def exported(turn: ATurn) -> bool:
    turn.trace.refresh_from_db()
    return turn.trace.exported is not None


def test_an_ended_trace_is_sent_once(receiver: Receiver, clock: Clock) -> None:
    switched_on()
    turn = a_finished_turn()
    sending = Sender(clock)
    sending.round()
    sending.round()
    assert exported(turn)
    assert len(receiver.spans) == 7


def test_the_past_is_not_sent(receiver: Receiver, clock: Clock) -> None:
    turn = a_finished_turn()
    Trace.objects.update(ended=timezone.now() - timedelta(minutes=1))
    Sender(clock).round()
    assert not exported(turn)
    assert not receiver.spans


def test_a_running_trace_is_not_sent(receiver: Receiver, clock: Clock) -> None:
    switched_on()
    ATurn().a_round(1, (0, None))
    Sender(clock).round()
    assert not receiver.requests


def test_many_traces_are_one_request(receiver: Receiver, clock: Clock) -> None:
    switched_on()
    turns = [a_finished_turn() for _ in range(3)]
    Sender(clock).round()
    assert all(map(exported, turns))
    assert [request.path for request in receiver.requests] == ["/v1/traces", "/v1/metrics"]


def test_headers_and_names_are_those_of_the_variables(
    receiver: Receiver, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "chat-of-the-team")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
    switched_on()
    a_finished_turn()
    Sender(clock).round()
    assert receiver.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert receiver.resource["service.name"] == "chat-of-the-team"
    assert receiver.resource["deployment.environment.name"] == "test"


def test_it_is_named_roundtrip_by_default(receiver: Receiver, clock: Clock) -> None:
    switched_on()
    a_finished_turn()
    Sender(clock).round()
    assert receiver.resource["service.name"] == "roundtrip"


def unreachable(receiver: Receiver) -> None:
    with running_receiver() as gone:
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = gone.url


def hangs(receiver: Receiver) -> None:
    receiver.hangs.set()


def answers(status: int, **headers: str) -> Callable[[Receiver], None]:
    def change(receiver: Receiver) -> None:
        receiver.status, receiver.headers = status, headers

    return change


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (unreachable, "It cannot be reached."),
        (hangs, "It did not answer in time."),
        (answers(503), "It answered HTTP 503."),
        (answers(401), "It answered HTTP 401."),
        (answers(302, Location="http://127.0.0.1:1/"), "It answered HTTP 302."),
    ],
)
def test_who_does_not_take_traces_is_named_once(
    receiver: Receiver,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
    wrong: Callable[[Receiver], None],
    said: str,
) -> None:
    wrong(receiver)
    switched_on()
    turn = a_finished_turn()
    sending = Sender(clock)
    for _ in range(2):
        assert not sending.round()
        clock.now += 1000
    assert not exported(turn)
    warned = [record.getMessage() for record in caplog.records if record.levelno > logging.INFO]
    assert len(warned) == 1
    assert said in warned[0]
    assert KEY not in caplog.text


def test_pauses_grow_and_end(receiver: Receiver, clock: Clock) -> None:
    receiver.status = 500
    switched_on()
    a_finished_turn()
    sending = Sender(clock)
    tried = []
    for _ in range(100):
        before = len(receiver.requests)
        sending.round()
        if len(receiver.requests) > before:
            tried.append(clock.now - 1000)
        clock.now += 5
    assert tried == [0, 5, 15, 35, 75, 155, 315]


def test_the_collector_s_own_wait_counts(receiver: Receiver, clock: Clock) -> None:
    receiver.status, receiver.headers = 503, {"Retry-After": "600"}
    switched_on()
    turn = a_finished_turn()
    sending = Sender(clock)
    sending.round()
    receiver.status, receiver.headers = 200, {}
    clock.now += 599
    sending.round()
    assert not exported(turn)
    clock.now += 2
    sending.round()
    assert exported(turn)


def test_a_trace_that_is_refused_is_skipped_and_the_others_go_on(
    receiver: Receiver, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    switched_on()
    first, second = a_finished_turn(), a_finished_turn()
    receiver.refused = first.trace.public_id.bytes
    sending = Sender(clock)
    sending.round()
    sending.round()
    assert (exported(first), exported(second)) == (False, True)
    assert caplog.text.count(f"trace {first.trace.public_id} is skipped") == 1


def test_what_nobody_took_for_a_day_is_skipped(
    receiver: Receiver, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    switched_on(timedelta(days=3))
    turn = a_finished_turn()
    Trace.objects.update(ended=timezone.now() - timedelta(days=2))
    sending = Sender(clock)
    sending.round()
    sending.round()
    assert not exported(turn)
    assert caplog.text.count("1 traces were not taken for a day") == 1
    assert not receiver.spans


def test_who_marks_a_trace_first_has_marked_it(receiver: Receiver) -> None:
    turn = a_finished_turn()
    assert due.mark(turn.trace)
    assert not due.mark(turn.trace)


def test_what_is_due_costs_the_same_queries_for_any_number_of_traces(
    receiver: Receiver, clock: Clock, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    switched_on()
    since = due.collector().since
    for _ in range(5):
        a_finished_turn()
    with django_assert_num_queries(1):
        assert len(due.due(since, [], 20)) == 5


def test_an_old_trace_is_sent_on_demand(
    receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    turn = a_finished_turn()
    call_command("otel", "export", "--since", "2020-01-01")
    assert exported(turn)
    assert "1 traces were sent to 127.0.0.1" in capsys.readouterr().out
    call_command("otel", "export")
    assert len(receiver.spans) == 7


def test_the_command_says_why_it_failed(receiver: Receiver) -> None:
    a_finished_turn()
    receiver.status = 403
    with pytest.raises(CommandError, match=r"0 traces were sent.*HTTP 403"):
        call_command("otel", "export")


def test_without_an_endpoint_nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    beat = ExportBeat()
    beat()
    assert beat._thread is None


def test_an_endpoint_that_cannot_be_is_said(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    ExportBeat()()
    assert "only http/protobuf is spoken" in caplog.text


def test_packages_that_are_not_installed_are_said_with_their_extra(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(switch, "_DISTRIBUTIONS", ("no-such-distribution",))
    ExportBeat()()
    assert "pip install 'roundtrip[otel]'" in caplog.text


def test_where_traces_go_is_said_without_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"https://me:{KEY}@otel.example/otlp?k={KEY}")
    assert switch.destination() == "otel.example/otlp"


class TestMetrics:
    def test_are_recorded_of_what_was_sent(self, receiver: Receiver, clock: Clock) -> None:
        switched_on()
        a_finished_turn()
        Sender(clock).round()
        found = receiver.metrics
        assert set(found) == {
            "gen_ai.client.operation.duration",
            "gen_ai.client.token.usage",
            "gen_ai.client.operation.time_to_first_chunk",
        }
        durations = found["gen_ai.client.operation.duration"].histogram.data_points
        assert {(attributes(point).get("error.type"), point.count) for point in durations} == {
            (None, 2),
            ("503", 1),
        }
        assert list(durations[0].explicit_bounds) == [0.01 * 2**step for step in range(14)]

    def test_tokens_by_type(self, receiver: Receiver, clock: Clock) -> None:
        switched_on()
        a_finished_turn()
        Sender(clock).round()
        points = receiver.metrics["gen_ai.client.token.usage"].histogram.data_points
        sums = {attributes(point)["gen_ai.token.type"]: point.sum for point in points}
        assert sums == {"input": 240, "output": 60}
        assert list(points[0].explicit_bounds) == [4**step for step in range(14)]
        assert attributes(points[0])["gen_ai.response.model"] == "qwen-72b-0901"

    def test_as_many_answering_models_as_a_label_may_have_are_named(
        self, receiver: Receiver, clock: Clock
    ) -> None:
        switched_on()
        turn = a_finished_turn()
        for number in range(MAX_ANSWERING_MODELS + 5):
            noted = {"model": "m", "usage": {"prompt_tokens": 1}, "answering_model": f"m{number}"}
            turn.a_generation({}, (1500, 1501), number=number + 5, attributes=noted)
        Sender(clock).round()
        points = receiver.metrics["gen_ai.client.token.usage"].histogram.data_points
        names = {attributes(point)["gen_ai.response.model"] for point in points}
        assert len(names) == MAX_ANSWERING_MODELS + 1
        assert "_other" in names

    def test_the_wait_for_the_first_chunk(self, receiver: Receiver, clock: Clock) -> None:
        switched_on()
        a_finished_turn()
        Sender(clock).round()
        metric = receiver.metrics["gen_ai.client.operation.time_to_first_chunk"]
        (point,) = metric.histogram.data_points
        assert (point.count, point.sum, metric.unit) == (2, 0.5, "s")

    def test_leave_by_themselves_if_they_are_wanted(
        self, receiver: Receiver, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")
        switched_on()
        a_finished_turn()
        Sender(clock).round()
        assert not receiver.metrics
