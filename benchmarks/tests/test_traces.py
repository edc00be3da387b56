"""The rows that `benchmarks.traces` writes, and the table of `benchmarks.pages`."""

from dataclasses import asdict

import pytest
from django.contrib.auth.models import User

from benchmarks import dashboard
from benchmarks.pages.report import Timing, render
from benchmarks.traces import filling, words
from tracing.models import FacetValue, Metric, Trace
from tracing.search.matching import search
from tracing.stats.aggregates.trace_summary import summarize


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "LONG", 5)
    monkeypatch.setattr(dashboard, "DAYS", 1)
    monkeypatch.setattr(words, "RARE_EVERY", 30)
    filling.fill(60, lambda line: None)


@pytest.mark.django_db
def test_the_columns_are_those_that_the_digest_would_count(filled: None) -> None:
    for trace in Trace.objects.all():
        summary = summarize(trace, list(trace.spans.order_by("id")))
        counted = {name: getattr(trace, name) for name in summary.figures}
        facets = set(trace.facets.values_list("name", "value"))
        assert facets == summary.facets
        assert counted == pytest.approx(summary.figures, abs=1)


@pytest.mark.django_db
def test_there_is_something_to_find_for_every_kind_of_query(filled: None) -> None:
    traces = Trace.objects.all()
    everywhere = search(" ".join(words.EVERYWHERE), traces).count()
    assert everywhere == traces.count()
    assert search(words.RARE[1], traces).count() == 2
    assert User.objects.get(username="staff").is_staff
    assert FacetValue.objects.exists() and Metric.objects.exists()


def test_a_page_above_its_aim_stands_out() -> None:
    quick, slow = Timing("quick", 150, 12, 20, 9, 1), Timing("slow", 150, 140, 151, 99, 1)
    result = {"traces": 5, "spans": 50, "cores": 2, "load": 0, "python": "3"}
    table = render({"SQLite": {**result, "pages": [asdict(quick), asdict(slow)]}})
    assert "| quick | 150 | 12 | 20 | 9 |" in table
    assert "| slow | 150 | 140 | **151** | 99 |" in table
