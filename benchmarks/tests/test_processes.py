import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from benchmarks.clients import MAX_SETTLE_SECONDS, Meter, Sample, Usage
from benchmarks.processes import cpu_ms, memory, role_of, rss, tree
from host.processes import parent_death_signal

pytestmark = pytest.mark.process

CHILD = "import sys; [i*i for i in range(3_000_000)]; print('done', flush=True); sys.stdin.read()"
PARENT = (
    "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', sys.argv[1]],"
    " stdin=subprocess.PIPE); sys.stdin.readline(); child.stdin.close(); child.wait();"
    " print('reaped', flush=True); sys.stdin.read()"
)


@pytest.fixture
def family() -> Iterator[subprocess.Popen[str]]:
    """A process with one child, which has used CPU; a line to the parent ends the child."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=parent_death_signal(),
    )
    assert parent.stdout
    assert parent.stdout.readline() == "done\n"
    with parent:
        yield parent


def test_the_tree_has_children_too(family: subprocess.Popen[str]) -> None:
    assert len(tree(family.pid)) == 2
    assert family.pid in tree(os.getpid())


def test_cpu_of_a_child_that_ended_is_still_counted(family: subprocess.Popen[str]) -> None:
    before = sum(cpu_ms(tree(family.pid)).values())
    assert family.stdin
    assert family.stdout
    family.stdin.write("\n")
    family.stdin.flush()
    assert family.stdout.readline() == "reaped\n"
    assert len(tree(family.pid)) == 1
    assert sum(cpu_ms(tree(family.pid)).values()) >= before > 20


def test_memory_is_that_of_all_and_pss_counts_shared_pages_once(
    family: subprocess.Popen[str],
) -> None:
    both, parent = memory(tree(family.pid)), memory([family.pid])
    assert both.rss > parent.rss > parent.pss > 0
    assert both.pss < both.rss
    assert rss(tree(family.pid)) == pytest.approx(both.rss, rel=0.1)


def test_a_meter_counts_what_was_used_while_it_ran(family: subprocess.Popen[str]) -> None:
    meter = Meter(lambda: tree(family.pid))
    meter.begin()
    meter.sample()
    usage = meter.end()
    assert usage.cpu_ms < sum(cpu_ms(tree(family.pid)).values())
    assert usage.peak_rss > 0
    assert [name[:6] for name in usage.by_role] == ["python"]


def test_a_meter_waits_until_the_processes_are_idle(family: subprocess.Popen[str]) -> None:
    meter = Meter(lambda: tree(family.pid))
    meter.begin()
    began = time.monotonic()
    meter.settle()
    assert time.monotonic() - began < MAX_SETTLE_SECONDS
    assert meter.end().cpu_ms < 100


def test_a_period_between_samples_has_its_cpu_a_second() -> None:
    samples = [
        Sample(at_us=number * 500_000, cpu_ms={"web": number * 100.0}) for number in range(5)
    ]
    usage = Usage({"web": 400.0}, 0.0, samples)
    assert usage.a_second(400_000, 1_700_000) == {"web": 200.0}
    assert usage.a_second(400_000, 600_000) == {}


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("python -m config.work turns 200", "turns"),
        ("python -m config.web", "web"),
        ("redis-server 127.0.0.1:41", "redis"),
        ("/a/bin/python3 -m config.supervisor", "supervisor"),
        ("python -I /a/chat/markdown/render_process.py", "render_process"),
        ("/usr/bin/cat file", "cat"),
        ("", "ended"),
    ],
)
def test_a_process_of_the_product_is_named_by_its_part(line: str, role: str) -> None:
    assert role_of(line) == role


def test_a_process_that_is_gone_counts_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert (cpu_ms([gone.pid]), memory([gone.pid]).rss) == ({gone.pid: 0}, 0)
