import pytest

from db.fields import storable
from tracing.models import Span, Trace
from tracing.tests.builders import a_span, an_archive

STRANGE = "a\0b\ud800c 三张表 😀"


def test_what_databases_refuse_is_replaced_and_the_rest_kept() -> None:
    assert storable(STRANGE) == "a\ufffdb\ufffdc 三张表 😀"


@pytest.mark.postgres
@pytest.mark.django_db
def test_names_and_errors_from_anywhere_are_stored_as_far_as_they_can_be() -> None:
    span = a_span(an_archive())
    Span.objects.filter(pk=span.pk).update(name=STRANGE * 100, error=STRANGE)
    Trace.objects.filter(pk=span.trace_id).update(name=STRANGE)
    span = Span.objects.select_related("trace").get(pk=span.pk)
    assert len(span.name) == 200
    assert span.error == span.trace.name == storable(STRANGE)


@pytest.mark.postgres
@pytest.mark.django_db
def test_json_attributes_keep_order_nul_and_surrogates() -> None:
    noted = {"z": STRANGE, "a": [1.5, None], "": {"\0": "\ud800"}}
    span = a_span(an_archive())
    Span.objects.filter(pk=span.pk).update(attributes=noted)
    stored = Span.objects.get(pk=span.pk).attributes
    assert stored == noted
    assert list(stored) == ["z", "a", ""]
