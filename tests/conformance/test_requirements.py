"""The product's MCP client against the public suite: all that two revisions require."""

import sys
from pathlib import Path

import pytest

from tests.conformance import suite

pytestmark = [
    pytest.mark.process,
    pytest.mark.campaign,
    pytest.mark.conformance,
    pytest.mark.timeout(2 * suite.RUN_S),
]

REQUIRED = {"2025-11-25": 18, "2026-07-28": 32}


@pytest.mark.parametrize("revision", suite.REVISIONS)
def test_every_scenario_that_a_revision_requires_passes(
    revision: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        outcome = suite.run(revision, tmp_path)
    except suite.NotInstallable as error:
        pytest.skip(f"Node or the suite cannot be installed here: {error}")
    with capsys.disabled():
        sys.stdout.write(f"\n{revision}: {outcome.counts}\n")
    assert len(outcome.required) == REQUIRED[revision], outcome.report
    assert outcome.passed, outcome.report
