"""The picture of a soak: its figures over time, by their unit. SVG or PNG, by the file's name."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot

from tests.soak.samples import Row
from tests.soak.verdict import Verdict, after_warm_up

PANELS = {
    "Memory, MB of PSS": ("supervisor_mb", "web_mb", "turns_mb", "tools_mb", "children_mb"),
    "Descriptors": ("web_descriptors", "turns_descriptors", "tools_descriptors"),
    "Threads": ("web_threads", "turns_threads", "tools_threads"),
    "Processes": ("processes",),
    "Redis": ("redis_mb", "redis_keys", "redis_clients"),
    "Database, MB": ("database_mb", "wal_mb"),
}
INCHES = (11, 9)


def draw(rows: Sequence[Row], verdicts: Sequence[Verdict], file: Path) -> None:
    growing = {verdict.name for verdict in verdicts if not verdict.is_flat}
    figure, axes = pyplot.subplots(3, 2, figsize=INCHES, sharex=True, layout="constrained")
    minutes = [row["minutes"] for row in rows]
    begins = after_warm_up(rows)[0]["minutes"]
    for axis, (title, names) in zip(axes.flat, PANELS.items(), strict=True):
        for name in names:
            if name in rows[0]:
                label = f"{name} (grows)" if name in growing else name
                axis.plot(minutes, [row[name] for row in rows], label=label, linewidth=1)
        axis.axvspan(0, begins, alpha=0.08, color="gray", linewidth=0)
        axis.set_title(title, fontsize=10)
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=7)
        axis.grid(alpha=0.3)
    for axis in axes[-1]:
        axis.set_xlabel("minutes")
    figure.savefig(file)
    pyplot.close(figure)
