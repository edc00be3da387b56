"""The machine of a measurement, without its name."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """`load` is its load average of one minute before the measurement."""

    cores: int
    processor: str
    system: str
    python: str
    load: float

    def __str__(self) -> str:
        return (
            f"{self.cores} cores ({self.processor}), {self.system}, Python {self.python}; "
            f"load average before: {self.load:.1f}"
        )


def machine() -> Machine:
    """This machine."""
    info = Path("/proc/cpuinfo").read_text()
    names = [line.partition(":")[2].strip() for line in info.splitlines() if "model name" in line]
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        processor=names[0] if names else platform.machine(),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        load=os.getloadavg()[0],
    )
