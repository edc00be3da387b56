"""Speed, cost and sources of an answer."""

from decimal import Decimal

from chat.markdown import Citation
from chat.presentation.figures import answer_figures
from chat.presentation.sources import listed
from tracing.models import Span

PRICES = {"in": "1", "out": "10"}


def _call(out: int, stream_ms: float | None = 500, prices: object = PRICES) -> Span:
    attributes = {
        "usage": {"prompt_tokens": 1_000, "completion_tokens": out},
        "timings": {"stream_ms": stream_ms} if stream_ms is not None else {},
        "prices": prices,
    }
    return Span(kind=Span.Kind.GENERATION, attributes=attributes)


def test_speed_is_that_of_all_calls_that_streamed() -> None:
    assert answer_figures([_call(50), _call(150, 1_500)]).speed == 100


def test_what_came_at_once_says_nothing_of_speed() -> None:
    assert answer_figures([_call(50, 3), _call(50, None)]).speed is None


def test_cost_is_the_sum_of_all_calls() -> None:
    assert answer_figures([_call(100), _call(100)]).cost == Decimal("0.004")


def test_without_a_price_for_every_call_there_is_no_cost() -> None:
    assert answer_figures([_call(100), _call(100, prices=None)]).cost is None
    assert answer_figures([]).cost is None


FIRST = "1. One\n   https://a.example/x\n   words\n\n2. Two\n   https://www.b.example/\n"
SECOND = "1. One again\n   https://a.example/x\n\n2. Three\n   http://c.example"


def sources(results: list[str]) -> list[Citation]:
    return listed(("web_search", {"content": result}) for result in results)


def test_sources_are_the_pages_that_searches_found_each_once() -> None:
    found = sources([FIRST, SECOND])
    assert [(one.title, one.host) for one in found] == [
        ("One", "a.example"),
        ("Two", "b.example"),
        ("Three", "c.example"),
    ]


def test_what_is_no_list_of_results_has_no_sources() -> None:
    assert sources(["Nothing was found for 'x'.", "", "1. x\n   javascript:alert(1)"]) == []


def test_a_source_has_a_host() -> None:
    assert sources(["1. x\n   https://[::1/\n\n2. y\n   https:///path"]) == []
