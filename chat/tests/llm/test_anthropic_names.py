"""Names and ids in Anthropic's alphabet."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects.anthropic_names import fit_id, fit_name, original_name

# Short enough that no fit form is cut.
near_misses = st.lists(
    st.sampled_from(["_u", "2e", "_", "u", "5f", "_u2e_", ".", "日", "\U0001f600"]), max_size=12
).map("".join)
names = near_misses | st.text(min_size=1, max_size=15)


@given(names.filter(bool))
def test_a_name_fits_and_comes_back(name: str) -> None:
    fit = fit_name(name)

    assert re.fullmatch("[A-Za-z0-9_-]{1,128}", fit)
    assert original_name(fit) == name


@pytest.mark.parametrize("name", ["weather", "sqlite-read_query", "_u_", "a_user_b", "A1"])
def test_a_name_that_fits_stays(name: str) -> None:
    assert fit_name(name) == name == original_name(name)


@given(names)
def test_what_is_no_fit_form_is_a_name(name: str) -> None:
    assert original_name(name) == name or fit_name(original_name(name)) == name


def test_two_long_names_do_not_become_one() -> None:
    assert fit_name("n" * 200) != fit_name("n" * 201)


@given(st.text(min_size=1))
def test_an_id_fits(call_id: str) -> None:
    assert re.fullmatch("[A-Za-z0-9_-]+", fit_id(call_id))
    assert fit_id(fit_id(call_id)) == fit_id(call_id)
