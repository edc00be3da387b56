"""What a trial's log says of a frame in one line."""

from typing import Any

import pytest

from tools.trials.log import TrialLog


def line_of(result: dict[str, Any]) -> str:
    log = TrialLog(trial_pk=0)
    log.frames([{"direction": "received", "message": {"id": 1, "result": result}, "at": 0.0}])
    return log.entries[0]["text"]


@pytest.mark.parametrize(
    ("result", "line"),
    [
        ({"content": [], "isError": True}, "result with content, isError"),
        ({"content": [], "isError": False}, "result with content"),
        ({}, "result"),
    ],
)
def test_only_a_result_that_is_an_error_is_called_one(result: dict[str, Any], line: str) -> None:
    assert line_of(result) == line
