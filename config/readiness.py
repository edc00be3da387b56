"""How a process tells the supervisor that it is ready: a line on a pipe that it inherited.

Or, by its exit status, that it never will be.
"""

import os

VARIABLE = "ROUNDTRIP_READY_FD"
# Set where what the supervisor prints is seen on a terminal, and kept nowhere.
TERMINAL = "ROUNDTRIP_TERMINAL"
# The exit status of a process that would only end again if it were started again (sysexits.h).
HOPELESS = 78


def announce(line: str = "ready") -> None:
    """Say it once; without a supervisor nothing happens."""
    descriptor = os.environ.pop(VARIABLE, "")
    if descriptor:
        with os.fdopen(int(descriptor), "w") as pipe:
            pipe.write(f"{line}\n")
