"""Traces of the gateway on the pages of traces."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from api.tests.gateway.conftest import Person, Served
from api.tests.gateway.test_loops import CALL, RESULT, USER, ask
from chat.tests.quotas.conftest import Limit
from chat.tests.quotas.conftest import limit as limit
from tests.redis_server import RedisServer
from tests.signing_in import signed_in
from tracing.models import Payload, Span, Trace
from tracing.retention import ageing
from tracing.stats.aggregates.ended_traces import aggregate_pending

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


@pytest.fixture
def trace(anna: Person, served: Served) -> Trace:
    """Of a loop of two rounds."""
    headers = {"X-Roundtrip-Session": "nightly run", "User-Agent": "agent/7"}
    ask(anna, served, "call", USER, **headers)
    ask(anna, served, "answer", USER, CALL, RESULT, **headers)
    aggregate_pending(10)
    return Trace.objects.get()


@pytest.fixture
def browser(anna: Person) -> Client:
    return signed_in(anna.user)


@pytest.mark.parametrize("number", [1, 2])
def test_a_round_is_shown_with_its_stages(browser: Client, trace: Trace, number: int) -> None:
    page = browser.get(f"{trace.get_absolute_url()}?round={number}").content.decode()
    assert "nightly run" in page and "agent/7" in page
    assert page.count("call_a") >= 1 or number == 2


def test_the_list_is_filtered_by_its_source(browser: Client, trace: Trace) -> None:
    assert str(trace.public_id) in browser.get("/traces/?kind=gateway").content.decode()
    assert str(trace.public_id) not in browser.get("/traces/?kind=playground").content.decode()


def test_the_session_lists_its_traces(browser: Client, trace: Trace) -> None:
    page = browser.get(reverse("tracing:archive", args=[trace.archive.public_id]))
    assert str(trace.public_id) in page.content.decode()


def test_others_do_not_see_it(trace: Trace) -> None:
    client = signed_in(User.objects.create_user("berta"))
    assert client.get(trace.get_absolute_url()).status_code == 404


def test_its_figures_are_those_of_its_calls(trace: Trace) -> None:
    assert (trace.rounds, trace.calls, trace.tokens_in, trace.tokens_out) == (2, 1, 16, 4)
    assert float(trace.cost or 0) == pytest.approx((16 * 1 + 4 * 2) / 1e6)


def test_it_leaves_as_json(browser: Client, trace: Trace) -> None:
    answer = browser.get(reverse("tracing:trace_json", args=[trace.public_id]))
    assert answer.status_code == 200


def test_its_evidence_is_removed_with_that_of_others(trace: Trace) -> None:
    Trace.objects.update(
        started=timezone.now() - timedelta(days=9), ended=timezone.now() - timedelta(days=8)
    )
    assert ageing.remove_some(None, 7) == 1
    assert not Payload.objects.exists() and not Span.objects.exists()


def test_estimated_tokens_are_marked_on_the_page(
    browser: Client, anna: Person, served: Served
) -> None:
    anna.client.post("/chat/completions?do=unreported", json={"model": "m", "messages": [USER]})
    assert served.recorder.flush()
    page = browser.get(Trace.objects.get().get_absolute_url()).content.decode()
    assert page.count("≈ ") >= 2 and "the provider did not report all of it" in page


def test_a_call_without_its_bytes_has_a_page_that_says_so(
    browser: Client, anna: Person, served: Served, redis_server: RedisServer, limit: Limit
) -> None:
    limit("tokens_day", 10_000)
    served.recorder.budget.limit = 10
    anna.client.post("/chat/completions?do=answer", json={"model": "m", "messages": [USER]})
    assert served.recorder.flush()
    page = browser.get(Trace.objects.get().get_absolute_url())
    assert page.status_code == 200
    assert "The bytes of this call are not recorded" in page.content.decode()
