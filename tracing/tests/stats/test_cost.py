from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracing.journal.cost import cost

PRICES = {"in": "3.000000", "cached": "0.300000", "out": "15.000000"}
USED = {"prompt_tokens": 1000, "completion_tokens": 100}


def test_tokens_in_and_out_have_their_prices() -> None:
    assert cost(USED, PRICES) == Decimal("0.0045")


def test_tokens_from_the_cache_have_a_price_of_their_own() -> None:
    used = {**USED, "prompt_tokens_details": {"cached_tokens": 800}}
    assert cost(used, PRICES) == Decimal("0.00234")


@pytest.mark.parametrize("name", ["prompt_cache_hit_tokens", "cache_read_input_tokens"])
def test_other_providers_names_for_them_are_known(name: str) -> None:
    assert cost({**USED, name: 800}, PRICES) == Decimal("0.00234")


def test_without_one_they_cost_what_others_do() -> None:
    prices = {"in": "3", "out": "15"}
    assert cost({**USED, "prompt_cache_hit_tokens": 800}, prices) == Decimal("0.0045")


def test_a_model_may_be_free() -> None:
    assert cost(USED, {"in": "0", "out": "0"}) == 0


@pytest.mark.parametrize(
    "prices", [None, {}, {"in": "3"}, {"out": "15"}, {"in": "dear", "out": "1"}, {"in": "NaN"}]
)
def test_what_is_not_known_has_no_cost(prices: Any) -> None:
    assert cost(USED, prices) is None


@pytest.mark.parametrize("usage", [None, [], {}, {"prompt_tokens": "many"}, {"prompt_tokens": 0}])
def test_nothing_that_was_used_has_no_cost(usage: Any) -> None:
    assert cost(usage, PRICES) is None


counts = st.integers(0, 10**12)


@given(counts, counts, counts)
def test_a_cost_is_never_negative_and_never_more_than_without_a_cache(
    read: int, cached: int, written: int
) -> None:
    used = {"prompt_tokens": read, "completion_tokens": written}
    plain = cost(used, PRICES) or Decimal(0)
    saved = cost({**used, "prompt_cache_hit_tokens": cached}, PRICES) or Decimal(0)
    assert 0 <= saved <= plain
