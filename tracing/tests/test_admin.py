import pytest
from django.test import Client

from tracing.admin_paging import CappedPaginator
from tracing.models import Trace
from tracing.tests.builders import ATurn, a_user

pytestmark = pytest.mark.django_db

TRACES, SPANS = "/admin/tracing/trace/", "/admin/tracing/span/"


@pytest.fixture
def turn() -> ATurn:
    turn = ATurn(a_user(), name="数据库有几张表")
    turn.a_round(1, (0, 900))
    turn.a_generation({}, at=(0, 620), name="qwen", status="failed", error="It broke.")
    turn.end(900, status="failed")
    return turn


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(a_user(is_staff=True, is_superuser=True))
    return client


def listed(admin: Client, address: str, **query: str) -> str:
    response = admin.get(address, query)
    assert response.status_code == 200
    return response.content.decode().split('id="result_list"')[-1]


def test_each_trace_of_the_list_opens_its_page(admin: Client, turn: ATurn) -> None:
    assert f'href="{turn.trace.get_absolute_url()}"' in listed(admin, TRACES)


def test_each_span_of_the_list_opens_its_trace(admin: Client, turn: ATurn) -> None:
    assert f'href="{turn.trace.get_absolute_url()}"' in listed(admin, SPANS)


@pytest.mark.parametrize(("word", "found"), [("几张表", True), ("别的", False), ("\0", True)])
def test_traces_are_searched_by_words(admin: Client, turn: ATurn, word: str, found: bool) -> None:
    assert (str(turn.trace.public_id) in listed(admin, TRACES, q=word)) is found


def test_a_trace_is_found_by_its_id(admin: Client, turn: ATurn) -> None:
    other = ATurn(a_user())
    shown = listed(admin, TRACES, q=str(turn.trace.public_id))
    assert str(turn.trace.public_id) in shown
    assert str(other.trace.public_id) not in shown


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"status__exact": "failed"}, True),
        ({"status__exact": "running"}, False),
        ({"owner": "nobody"}, False),
    ],
)
def test_traces_are_filtered(
    admin: Client, turn: ATurn, query: dict[str, str], found: bool
) -> None:
    assert (turn.trace.get_absolute_url() in listed(admin, TRACES, **query)) is found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"kind__exact": "generation"}, True),
        ({"kind__exact": "tool"}, False),
        ({"error": "yes"}, True),
        ({"error": "no", "kind__exact": "generation"}, False),
    ],
)
def test_spans_are_filtered(admin: Client, turn: ATurn, query: dict[str, str], found: bool) -> None:
    assert ("qwen" in listed(admin, SPANS, **query)) is found


def test_evidence_can_be_looked_at_but_not_changed(admin: Client, turn: ATurn) -> None:
    address = f"{TRACES}{turn.trace.pk}/change/"
    assert admin.get(address).status_code == 200
    assert admin.post(address, {"name": "another"}).status_code == 403
    assert admin.get(f"{TRACES}add/").status_code == 403


def test_other_staff_needs_permission(client: Client, turn: ATurn) -> None:
    client.force_login(a_user(is_staff=True))
    assert client.get(TRACES).status_code == 403


def test_rows_are_counted_only_as_far_as_one_would_page(
    turn: ATurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CappedPaginator, "MOST", 3)
    for _ in range(5):
        turn.begin("another")
    assert CappedPaginator(Trace.objects.order_by("id"), 2).count == 3
