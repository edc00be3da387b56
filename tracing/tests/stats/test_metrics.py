"""What Prometheus reads, as its own parser reads it."""

from collections.abc import Callable

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from tracing.models import Span
from tracing.stats.aggregates.ended_traces import aggregate_pending
from tracing.tests.builders import ATurn, a_user
from tracing.tests.stats.test_aggregates import a_turn

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

Value = Callable[..., float]
TOKEN = "a token for machines"


@pytest.fixture
def value(client: Client, settings: LazySettings) -> Value:
    """The value of a sample by its name and labels, read anew."""
    settings.METRICS_TOKEN = TOKEN

    def read(name: str, **labels: str) -> float:
        response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        families = text_string_to_metric_families(response.content.decode())
        samples = [sample for family in families for sample in family.samples]
        (found,) = [one.value for one in samples if (one.name, one.labels) == (name, labels)]
        return found

    return read


def status(client: Client, authorization: str = "") -> int:
    headers = {"Authorization": authorization} if authorization else {}
    return client.get("/metrics", headers=headers).status_code


def test_the_token_opens_it(client: Client, settings: LazySettings) -> None:
    settings.METRICS_TOKEN = TOKEN
    assert status(client, f"Bearer {TOKEN}") == 200


@pytest.mark.parametrize("said", ["", "Bearer", "Bearer another", f"Basic {TOKEN}", "Bearer é"])
def test_nothing_else_does(client: Client, settings: LazySettings, said: str) -> None:
    settings.METRICS_TOKEN = TOKEN
    assert status(client, said) == 401


def test_without_a_token_in_the_settings_no_token_opens_it(client: Client) -> None:
    assert status(client, "Bearer ") == 401


def test_staff_may_read_it_and_others_may_not(client: Client) -> None:
    client.force_login(a_user(is_staff=True, is_superuser=True))
    assert status(client) == 200
    client.force_login(a_user())
    assert status(client) == 401


def test_it_counts_what_ended(value: Value) -> None:
    a_turn()
    a_turn("failed")
    aggregate_pending(10)
    assert value("roundtrip_turns_total", status="succeeded") == 1
    assert value("roundtrip_rounds_total") == 4
    model = {"provider": "Example", "model": "qwen"}
    assert value("roundtrip_generations_total", **model) == 6
    assert value("roundtrip_generation_errors_total", **model) == 2
    assert value("roundtrip_tokens_total", type="input", **model) == 4000
    assert value("roundtrip_cost_dollars_total", **model) == pytest.approx(0.0048)
    tool = {"server": "sqlite", "tool": "read_query"}
    assert value("roundtrip_tool_call_errors_total", **tool) == 2


def test_durations_are_in_the_buckets_of_opentelemetry(value: Value) -> None:
    turn = ATurn()
    turn.a_round(1, (0, 5000))
    noted = {"server": "s", "tool": "t"}
    for number, ms in enumerate((5, 10, 11, 20, 1000, 200_000), 1):
        turn.a_call({}, (0, ms), number, attributes=noted)
    turn.end(5000)
    aggregate_pending(10)
    bucket = "roundtrip_tool_call_duration_seconds_bucket"
    found = [value(bucket, le=le, **noted) for le in ("0.01", "0.02", "1.28", "81.92", "+Inf")]
    assert found == [2, 4, 5, 5, 6]
    assert value("roundtrip_tool_call_duration_seconds_sum", **noted) == 201.046


def test_counters_stay_when_traces_go(value: Value) -> None:
    turn = a_turn()
    aggregate_pending(10)
    turn.archive.delete()
    assert not Span.objects.exists()
    assert value("roundtrip_turns_total", status="succeeded") == 1


def test_it_says_what_goes_on_now(value: Value) -> None:
    turn = ATurn()
    turn.a_round(1, (0, None), status="running")
    turn.a_call({}, (0, None), 1, status="awaiting_approval")
    assert value("roundtrip_up") == 1
    assert value("roundtrip_open_turns") == 1
    assert value("roundtrip_waiting_for_people") == 1
    assert value("roundtrip_redis_up") == 0


def test_it_speaks_openmetrics_to_who_asks_for_it(client: Client) -> None:
    a_turn()
    aggregate_pending(10)
    client.force_login(a_user(is_staff=True, is_superuser=True))
    accept = "application/openmetrics-text; version=1.0.0"
    response = client.get("/metrics", headers={"Accept": accept})
    assert response.headers["Content-Type"].startswith("application/openmetrics-text")
    families = openmetrics(response.content.decode())  # type: ignore[no-untyped-call]
    names = {family.name for family in families}
    assert {"roundtrip_turns", "roundtrip_generation_duration_seconds"} < names


def test_its_queries_do_not_grow(client: Client) -> None:
    client.force_login(a_user(is_staff=True, is_superuser=True))

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/metrics")
        return len(captured)

    few = queries()
    for _ in range(3):
        a_turn()
    aggregate_pending(10)
    assert queries() == few
