"""Parameters between JSON and the form: nothing that a row had is lost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.providers import parameters
from chat.providers.parameters import ParametersForm

CANONICAL = {
    "temperature": 0.2,
    "top_p": 1,
    "max_tokens": 100,
    "stop": ["END", "a\nb", "c\\nd"],
    "seed": -7,
    "reasoning_effort": "low",
    "extra": {"top_k": 20, "名": None},
}


def posted(values: dict[str, Any]) -> ParametersForm:
    """The form as a browser sends it back."""
    shown = ParametersForm(initial=parameters.to_fields(values))
    fields = {bound.name: bound.value() for bound in shown}
    return ParametersForm({name: value for name, value in fields.items() if value is not None})


def test_what_is_canonical_survives_an_edit() -> None:
    form = posted(CANONICAL)
    assert form.is_valid(), form.errors
    assert parameters.from_fields(form.cleaned_data) == CANONICAL


def test_nothing_is_nothing() -> None:
    form = posted({})
    assert form.is_valid()
    assert parameters.from_fields(form.cleaned_data) == {}


def test_a_zero_is_not_nothing() -> None:
    form = posted({"temperature": 0.0, "seed": 0})
    assert form.is_valid()
    assert parameters.from_fields(form.cleaned_data) == {"temperature": 0.0, "seed": 0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"top_k": 20}, {"extra": {"top_k": 20}}),
        ({"top_k": 20, "extra": {"top_k": 5}}, {"extra": {"top_k": 5}}),
        ({"stop": "END"}, {"stop": ["END"]}),
        ({"temperature": "warm"}, {"extra": {"temperature": "warm"}}),
        ({"max_tokens": True, "seed": 1.5}, {"extra": {"max_tokens": True, "seed": 1.5}}),
    ],
)
def test_what_is_not_canonical_moves_to_extra(old: Any, new: Any) -> None:
    form = posted(old)
    assert form.is_valid(), form.errors
    assert parameters.from_fields(form.cleaned_data) == new


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"temperature": "3"}, "temperature"),
        ({"top_p": "-0.1"}, "top_p"),
        ({"max_tokens": "0"}, "max_tokens"),
        ({"reasoning_effort": "huge"}, "reasoning_effort"),
        ({"extra": "[1]"}, "extra"),
        ({"extra": "{'a': 1}"}, "extra"),
        ({"extra": '{"messages": []}'}, "extra"),
        ({"extra": '{"seed": 1}', "seed": "2"}, "extra"),
        ({"extra": "[" * 100_000}, "extra"),
        ({"stop": "\n".join("abcdefghijklmnopqrst")}, "stop"),
    ],
)
def test_what_is_out_of_range_is_refused_at_its_field(fields: dict[str, str], name: str) -> None:
    form = ParametersForm(fields)
    assert not form.is_valid()
    assert name in form.errors


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1)))
def test_any_stop_sequences_come_back(stops: list[str]) -> None:
    stops = [stop.strip() or "x" for stop in stops][:16]
    form = posted({"stop": stops})
    assert form.is_valid(), form.errors
    assert parameters.from_fields(form.cleaned_data).get("stop", []) == stops
