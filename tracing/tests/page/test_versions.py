import pytest
from django.test import Client

from tracing.models import Span, Trace
from tracing.page.versions import version
from tracing.tests.builders import ATurn, a_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn() -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (0, None), status="running")
    turn.a_generation({"input": b"{}"}, (0, None), status="running")
    turn.a_call({}, (0, None), 1, status="proposed")
    return turn


def now(turn: ATurn) -> str:
    return version(Trace.objects.get(pk=turn.trace.pk))


def test_nothing_changes_by_looking(turn: ATurn) -> None:
    assert now(turn) == now(turn)


def test_it_changes_with_whatever_happens(turn: ATurn) -> None:
    call = Span.objects.get(trace=turn.trace, kind="tool")
    seen = [now(turn)]
    for status in ("awaiting_approval", "approved", "sent"):
        Span.objects.filter(pk=call.pk).update(status=status)
        seen.append(now(turn))
    turn.store(call, {"result": b"1"}, {})
    seen.append(now(turn))
    Span.objects.filter(pk=call.pk).update(ended=turn.at(5))
    seen.append(now(turn))
    turn.a_round(2, (5, None))
    seen.append(now(turn))
    turn.end(9)
    seen.append(now(turn))
    assert len(set(seen)) == len(seen)


def test_a_page_knows_its_version(turn: ATurn, client: Client) -> None:
    client.force_login(turn.archive.owner)
    address = turn.trace.get_absolute_url()
    told = client.get(f"{address}version").content.decode()
    assert f'data-version="{told}"' in client.get(address).content.decode()


def test_only_the_owner_learns_it(turn: ATurn, client: Client) -> None:
    client.force_login(a_user())
    assert client.get(f"{turn.trace.get_absolute_url()}version").status_code == 404
