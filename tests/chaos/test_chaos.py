"""A bounded chaos run: 40 turns of the running product under six faults, of a fixed seed."""

import os
from pathlib import Path

import pytest

from tests.chaos import plan
from tests.chaos.campaign import Options, run
from tests.chaos.report import checks, render
from tests.postgres import PRIVATE_SERVER

SEED = 6
TURNS = 40
CONVERSATIONS = 13
# Two cores, and other tests beside it.
BOUND = 45.0


@pytest.mark.postgres
@pytest.mark.timeout(240)
def test_whatever_is_killed_every_invariant_holds(tmp_path: Path, migrated: Path | None) -> None:
    postgres = PRIVATE_SERVER in os.environ
    faults = plan.chosen("all", postgres=postgres)
    made = plan.make(SEED, TURNS, CONVERSATIONS, faults, (2.0, 5.0), turns_a_fault=6)
    lines = run(made, Options(postgres, tmp_path / "ledger.jsonl", BOUND, migrated))
    results = checks(lines)
    assert [check.name for check in results if check.violations] == [], render(lines)
    assert [check.name for check in results[:-1] if not check.count] == []
