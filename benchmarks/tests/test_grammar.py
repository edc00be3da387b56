import pytest

from benchmarks.stub import Behaviour, UnknownModel, parse
from benchmarks.stub.grammar import Fault, Quirk


def test_a_bare_stub_has_the_defaults() -> None:
    assert parse("stub") == Behaviour()


def test_options_compose_in_any_order() -> None:
    expected = Behaviour(rate=50, tokens=200, delay_ms=300, reasoning=20)
    assert parse("stub-r50-n200-d300-z20") == parse("stub-z20-d300-n200-r50") == expected


def test_calls_imply_a_round_and_rounds_imply_a_call() -> None:
    assert parse("stub-t3") == Behaviour(calls=3, rounds=1)
    assert parse("stub-k5") == Behaviour(calls=1, rounds=5)
    assert parse("stub-t3-k5") == Behaviour(calls=3, rounds=5)


def test_no_calls_stay_no_calls() -> None:
    assert parse("stub-t0").rounds == 0


def test_cutting_has_a_seed_of_its_own() -> None:
    assert parse("stub-c") == Behaviour(cut_seed=0)
    assert parse("stub-c7-s9") == Behaviour(cut_seed=7, seed=9)


def test_a_failing_status_is_a_number() -> None:
    assert parse("stub-f429-x2-w3") == Behaviour(
        fault=Fault.STATUS, status=429, failures=2, retry_after=3
    )


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.STATUS])
def test_every_fault_has_a_word(fault: Fault) -> None:
    assert parse(f"stub-f{fault}-at5") == Behaviour(fault=fault, fault_at=5)


@pytest.mark.parametrize("quirk", list(Quirk))
def test_every_quirk_has_a_word(quirk: Quirk) -> None:
    assert parse(f"stub-t2-q{quirk}").quirk is quirk


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gpt-5", "begin with 'stub'"),
        ("stub-", "no option ''"),
        ("stub-q9", "no option 'q9'"),
        ("stub-r", "no option 'r'"),
        ("stub-R50", "no option 'R50'"),
        ("stub-n99999999", "over 10000000"),
        ("stub-f200", "300 to 599"),
        ("stub-n5-n6", "a second time"),
        ("stub-f500-freset", "a second time"),
        ("stub-usage-nousage", "a second time"),
        ("stub-n٣", "no option"),
        ("", "begin with 'stub'"),
    ],
)
def test_another_name_is_refused_with_the_reason(name: str, reason: str) -> None:
    with pytest.raises(UnknownModel, match=reason):
        parse(name)
