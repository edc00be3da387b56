"""The Python interpreter of a process that serves for days."""

import gc
import sys

# Seconds for which a computing thread may keep the event loop from running. The default, 5 ms, is
# the target for the whole latency of a token.
SWITCH_INTERVAL_S = 0.0005


def favour_event_loop() -> None:
    """Threads give the interpreter up after `SWITCH_INTERVAL_S`: for processes whose event loop
    passes tokens on while other threads work for the database."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)


def freeze() -> None:
    """Collects once, then exempts every object that exists from later collections (`gc.freeze`).

    For a process that has imported what it needs and is ready: a full collection visits some
    hundred thousand objects of modules, and stops all threads for 75 to 170 ms.
    """
    gc.collect()
    gc.freeze()
