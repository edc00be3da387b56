"""One measurement of a product: start, the chosen parts, memory afterwards."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import garbage
from benchmarks.clients import Meter
from benchmarks.measuring import Plan
from benchmarks.parts import PARTS
from benchmarks.parts.naming import shares
from benchmarks.parts.scale import Scale
from benchmarks.processes import command, memory, role_of, rss
from benchmarks.product import ROOT
from benchmarks.site import Site, running_site
from benchmarks.stub.text import now_us

WARM_UP = Plan(streams=10, tokens=25)
IDLE_SECONDS = 3.0
# Turns that failed and tokens that did not arrive as they were sent.
FAULTS = (".failed_turns", ".wrong_tokens")

Figures = dict[str, float]


def bench(
    scale: Scale, parts: Sequence[str], folder: Path = ROOT, database: Path | None = None
) -> Figures:
    """The figures of the product whose code is in `folder`, on an empty home, or on one with this
    migrated database. Raises `DidNotStart`."""
    say(f"starting {folder.name}")
    with running_site(scale.streams(parts), folder, database=database) as site:
        figures = idle(site)
        site.run(WARM_UP)
        began_us = now_us()
        for part in parts:
            say(part)
            figures |= PARTS[part](site, scale)
        figures |= garbage.figures(site.pauses, sorted(_python(site)), began_us)
        return figures | after(site, scale, figures["memory.idle_rss_mb"])


def idle(site: Site) -> Figures:
    """CPU and memory of a product that has just started and serves nobody."""
    meter = Meter(lambda: site.product.pids)
    time.sleep(IDLE_SECONDS)
    meter.begin()
    time.sleep(IDLE_SECONDS)
    a_second = {role: used / IDLE_SECONDS for role, used in meter.end().by_role.items()}
    return {
        "idle.processes": len(site.product.pids),
        **shares("idle.cpu_ms_a_second", a_second),
        **_memory("memory.idle", site.product.pids),
    }


def after(site: Site, scale: Scale, idle_rss: float) -> Figures:
    """Memory after the load, in relation to that of the idle product."""
    say(f"memory after {scale.after_seconds:g} seconds of rest")
    time.sleep(scale.after_seconds)
    now = _memory("memory.after", site.product.pids)
    return {
        "memory.peak_rss_mb": max(site.peak_rss, now["memory.after_rss_mb"]),
        **now,
        "memory.after_to_idle": now["memory.after_rss_mb"] / idle_rss,
    }


def _python(site: Site) -> set[str]:
    """The product's processes, but for Redis."""
    return {role_of(command(pid)) for pid in site.product.pids} - {"redis"}


def _memory(name: str, pids: Sequence[int]) -> Figures:
    by_role: dict[str, float] = {}
    for pid in pids:
        role = role_of(command(pid))
        by_role[role] = by_role.get(role, 0.0) + rss([pid])
    return {**shares(f"{name}_rss_mb", by_role), f"{name}_pss_mb": memory(pids).pss}


def faults(figures: Figures) -> list[str]:
    """A line for each figure that says that something was lost or has failed."""
    return [
        f"{name}: {value:g}"
        for name, value in figures.items()
        if value and name.endswith(FAULTS) and ".floor." not in name
    ]


def say(text: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} bench: {text}\n")
