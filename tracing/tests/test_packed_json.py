"""Attributes are stored compressed, and read as they were."""

from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Length
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from db.fields import dump_json
from tracing.models import Span
from tracing.tests.builders import a_span, an_archive

pytestmark = pytest.mark.postgres

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
LONG: dict[str, Any] = {"z": "\0 and \ud800", "a": ["数据库", 1.5, None, True], "timings": {"x": 1}}


def read(span: Span) -> Any:
    return Span.objects.get(pk=span.pk).attributes


def bytes_of(span: Span) -> int:
    return int(Span.objects.filter(pk=span.pk).values_list(Length("attributes"), flat=True)[0])


class AnyValue(TestCase):
    @given(VALUES)
    def test_any_value_comes_back_exactly(self, value: Any) -> None:
        span = a_span(an_archive())
        Span.objects.filter(pk=span.pk).update(attributes=[value])
        assert read(span) == [value]
        span.attributes = {"key": value}
        span.save(update_fields=["attributes"])
        assert dump_json(read(span)) == dump_json({"key": value})


@pytest.mark.django_db
@pytest.mark.parametrize("value", [{}, LONG, {"key": LONG}])
def test_what_was_written_as_text_can_be_read(value: Any) -> None:
    span = a_span(an_archive())
    text: Any = dump_json(value)
    if connection.vendor == "postgresql":  # whose column takes bytes only
        text = text.encode()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tracing_span SET attributes = %s WHERE id = %s", [text, span.pk])
    assert dump_json(read(span)) == dump_json(value)


@pytest.mark.django_db
def test_attributes_of_a_model_call_take_a_quarter_of_their_length() -> None:
    settings = {"service": "", "returns_reasoning": "never", "usage_in_streams": None}
    span = a_span(an_archive())
    span.attributes = {
        "provider": "Lab", "base_url": "http://127.0.0.1:40377/v1", "dialect": "native",
        "attempt": 1, "context_window": 128000, "context_window_source": "assumed",
        "settings": {**settings, "takes_tools": True, "takes_images": False}, "status_code": 200,
        "usage": {"prompt_tokens": 16939, "completion_tokens": 30, "total_tokens": 16969},
        "notes": [], "errors": [], "cut": None, "error_kind": None, "error_evidence": None,
    }  # fmt: skip
    span.save(update_fields=["attributes"])
    assert bytes_of(span) < len(dump_json(span.attributes)) / 4


@pytest.mark.django_db
def test_no_attributes_take_two_bytes() -> None:
    assert bytes_of(a_span(an_archive())) == 2
