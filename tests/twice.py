"""`python -m tests.twice ARGUMENTS`: pytest; the few tests that failed run once more, alone.

On two cores a browser, a product and another worker's tests wait for each other, and a test may
fail for want of time. What fails alone too has failed. What passes alone is named at the end, so
that whoever reads the run sees which test is unstable; more than `MAX_UNSTABLE` failures are not
run again.
"""

import json
import subprocess
import sys
from pathlib import Path

MAX_UNSTABLE = 5
# pytest's exit status when tests failed, and nothing else was wrong.
TESTS_FAILED = 1
LAST_FAILED = Path(".pytest_cache/v/cache/lastfailed")


def main(arguments: list[str]) -> int:
    """The exit status for the shell."""
    LAST_FAILED.unlink(missing_ok=True)
    status = _pytest(arguments)
    failed = _failed()
    if status != TESTS_FAILED or not 0 < len(failed) <= MAX_UNSTABLE:
        return status
    _list("Run again, alone:", failed)
    status = _pytest(["-q", "-n", "0", *failed])
    if status == 0:
        _list("UNSTABLE: failed beside other tests, passed alone:", failed)
    return status


def _pytest(arguments: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


def _failed() -> list[str]:
    """The node ids of the tests that failed in the last run."""
    try:
        return sorted(json.loads(LAST_FAILED.read_text()))
    except FileNotFoundError:
        return []


def _list(heading: str, tests: list[str]) -> None:
    sys.stdout.write("\n".join(["", heading, *(f"  {name}" for name in tests), ""]))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
