"""Days and months of limits end at midnight UTC; a refusal says which limit, what is left, when."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from chat.models import QuotaRule
from chat.quotas import kinds
from chat.quotas.figures import Figures, refusal
from chat.quotas.refusals import seconds_until, sentence

Kind = QuotaRule.Kind
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "day", "month"),
    [
        ("2026-11-23T12:00:00+00:00", "2026-11-24", "2026-12-01"),
        ("2026-12-31T23:59:59.999999+00:00", "2027-01-01", "2027-01-01"),
        ("2026-01-31T00:00:00+00:00", "2026-02-01", "2026-02-01"),
        ("2028-02-29T08:00:00+00:00", "2028-03-01", "2028-03-01"),
        # Elsewhere it is another day, and another month.
        ("2026-12-01T00:30:00+01:00", "2026-12-01", "2026-12-01"),
        ("2026-11-30T20:00:00-05:00", "2026-12-02", "2027-01-01"),
    ],
)
def test_a_period_ends_at_midnight_utc(now: str, day: str, month: str) -> None:
    at = datetime.fromisoformat(now)
    assert kinds.opens_at(Kind.TOKENS_DAY, at) == datetime.fromisoformat(f"{day}T00:00+00:00")
    assert kinds.opens_at(Kind.COST_MONTH, at) == datetime.fromisoformat(f"{month}T00:00+00:00")


def test_at_its_edge_a_limit_is_reached_and_one_less_is_not() -> None:
    amounts: dict[str, int] = {Kind.TOKENS_DAY: 1_000}
    assert refusal(Figures(tokens_day=999), amounts, 1, NOON) is None
    refused = refusal(Figures(tokens_day=1_000), amounts, 1, NOON)
    assert refused is not None and refused.left == 0


def test_what_runs_is_thought_to_use_what_turns_use() -> None:
    running = Figures(tokens_day=500, open_turns=5, turn_tokens=100)
    refused = refusal(running, {Kind.TOKENS_DAY: 1_000}, 1, NOON)
    assert refused is not None and refused.is_reserved and refused.left == 500
    assert "answers that are being written" in sentence(refused, UTC, NOON)
    assert refusal(running, {Kind.TOKENS_DAY: 1_001}, 1, NOON) is None


def test_several_answers_at_once_are_all_counted() -> None:
    minute = (NOON - timedelta(seconds=50), NOON - timedelta(seconds=20))
    figures = Figures(minute=minute)
    assert refusal(figures, {Kind.TURNS_MINUTE: 5}, 3, NOON) is None
    refused = refusal(figures, {Kind.TURNS_MINUTE: 4}, 3, NOON)
    assert refused is not None and refused.opens_at == NOON + timedelta(seconds=10)
    never = refusal(figures, {Kind.TURNS_MINUTE: 2}, 3, NOON)
    assert never is not None and never.opens_at is None


def test_the_sentence_is_in_the_persons_time_zone() -> None:
    refused = refusal(Figures(cost_day=5_000_000), {Kind.COST_DAY: 5_000_000}, 1, NOON)
    assert refused is not None
    with translation.override("en"):
        text = sentence(refused, ZoneInfo("Asia/Kolkata"), NOON)
    assert text == (
        "Your limit is reached: Cost a day. $5.00 of $5.00 are used, $0 left. It opens again at "
        "Nov. 24, 2026, 05:30 (Asia/Kolkata)."
    )


@pytest.mark.parametrize(("ms", "seconds"), [(0, 1), (1, 1), (1_001, 2), (60_000, 60)])
def test_retry_after_is_never_too_early(ms: int, seconds: int) -> None:
    assert seconds_until(NOON + timedelta(milliseconds=ms), NOON) == seconds
