"""The pages that are timed, and the users who request them."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone

from tracing.list.query import PAGE_SIZE, find
from tracing.list.trace_filter import read
from tracing.models import Trace

LISTS = {
    "list, newest": "",
    "list, status": "status=failed",
    "list, kind": "kind=probe",
    "list, model (most)": "model=qwen3-32b",
    "list, model (hardly any)": "model=once-asked",
    "list, provider": "provider=Lab",
    "list, dialect": "dialect=hermes",
    "list, server": "server=weather",
    "list, tool (most)": "tool=read_query",
    "list, tool (hardly any)": "tool=used_once",
    "list, last 24 hours": "since=day",
    "list, last 30 days": "since=month",
    "list, duration": "longer=20&shorter=40",
    "list, tokens": "more=5000&fewer=9000",
    "list, with an error": "error=1",
    "list, with a retry": "retry=1",
    "list, user": "user=user-30",
    "list, longest": "sort=longest",
    "list, most tokens": "sort=tokens",
    "list, dearest": "sort=cost",
    "list, model, dearest": "model=gpt-large&sort=cost",
    "list, a model without prices, dearest": "model=small-local&sort=cost",
    "list, model, tool and status": "model=qwen3-32b&tool=read_query&status=failed",
    "list, model and dialect that never meet": "model=qwen3-32b&dialect=hermes",
    "list, nothing fits": "status=failed&tool=used_once&longer=1000",
    "search, English, in all": "q=answer",
    "search, Chinese, one character, in all": "q=的",
    "search, Chinese, in half": "q=查询结果",
    "search, phrase, in all": 'q="here is the answer"',
    "search, English, in ten": "q=zanzibar",
    "search, Chinese, in ten": "q=青藏高原",
    "search, in none": "q=xylophone",
    "search, Chinese, in none": "q=长颈鹿",
    "search, phrase of words in all, in none": 'q="answer is here"',
    "search, prefix": "q=inv*",
    "search, in all, longest": "q=answer&sort=longest",
    "search, in all, with model and status": "q=answer&model=qwen3-32b&status=failed",
    "search, in all, user": "q=查询结果&user=user-30",
}
# Of these lists page 40 is timed too: a later page must be as quick.
PAGED = ("list, newest", "list, model (most)", "list, longest", "search, English, in all")


@dataclass(frozen=True)
class Case:
    """An address, the user who requests it, and the milliseconds it should take at most."""

    name: str
    address: str
    user: str = "staff"
    aim_ms: int = 150


def cases() -> list[Case]:
    """All cases; the database has to be filled."""
    lists = [Case(name, _list(query)) for name, query in LISTS.items()]
    own = [
        Case("own list, newest", _list(""), "user-1"),
        Case("own list, model and tool", _list("model=qwen3-32b&tool=read_query"), "user-1"),
        Case("own list, search, in all", _list("q=answer"), "user-1"),
        Case("own list, longest", _list("sort=longest"), "user-1"),
    ]
    paged = [Case(f"{name}, page 40", _after(LISTS[name])) for name in PAGED]
    three_rounds = Trace.objects.filter(rounds=3, search_text__isnull=False).order_by("-id")
    turn = three_rounds.filter(spans__payloads__stage="request").first()
    longest = Trace.objects.get(rounds=500)
    assert turn is not None
    turns = [
        Case("turn of 3 rounds", turn.get_absolute_url()),
        Case("turn of 3 rounds, its last round", f"{turn.get_absolute_url()}?round=3"),
        Case("turn of 500 rounds", longest.get_absolute_url(), aim_ms=300),
        Case("turn of 500 rounds, its last", f"{longest.get_absolute_url()}?round=500", aim_ms=300),
    ]
    dashboard = reverse("tracing:dashboard")
    dashboards = [
        Case(f"dashboard, {period}", f"{dashboard}?period={period}") for period in PERIODS
    ]
    return [*lists, *paged, *own, *turns, *dashboards]


PERIODS = ("24h", "7d", "30d", "90d")


def _list(query: str) -> str:
    return f"{reverse('tracing:list')}?{query}"


def _after(query: str) -> str:
    """Page 40 of the list, which follows 39 full pages."""
    trace_filter = read(QueryDict(query), timezone.get_current_timezone())
    ids = find(User.objects.get(username="staff"), trace_filter).first(39 * PAGE_SIZE)
    last = Trace.objects.get(pk=ids[-1])
    return _list(f"{query}&after={last.public_id}")
