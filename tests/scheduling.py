"""How the tests of a parallel run are dealt out to its processes.

A file goes to one process, whose fixtures its tests share; so does a folder whose tests share one
running product. What takes long begins first.
"""

import pytest
from xdist.scheduler.loadscope import LoadScopeScheduling

# Its product, which the tests kill and which comes back, is started once a session.
TOGETHER = "tests/faults/"
# Products and Chromium; the rest fills the gaps in which these wait.
FIRST = (TOGETHER, "tests/supervision/", "tests/browser/", "tests/fairness/", "tests/access/")
THEN = (
    "benchmarks/tests/test_bench.py",
    "chat/tests/page/",
    "tracing/tests/browser/",
    "chat/tests/again/",
    "config/tests/",
)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return TOGETHER if file.startswith(TOGETHER) else file


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """The same tests, long files first."""
    return sorted(items, key=_place)


def _place(item: pytest.Item) -> int:
    return 0 if item.nodeid.startswith(FIRST) else 1 if item.nodeid.startswith(THEN) else 2
