"""How a process reports to the supervisor: a line on an inherited pipe when it is ready, and the
exit status `HOPELESS` if starting it again cannot help."""

import os
from contextlib import suppress

# The variable with the number of the pipe's file descriptor.
VARIABLE = "ROUNDTRIP_READY_FD"
# The variable that is "1" if the supervisor's output goes to a terminal, so that no log keeps it.
TERMINAL = "ROUNDTRIP_TERMINAL"
# Exit status of a process that must not be restarted (EX_CONFIG of sysexits.h).
HOPELESS = 78


def announce(line: str = "ready") -> None:
    """Write `line` to the pipe, at the first call only; does nothing without a supervisor, or if
    the supervisor has heard of an equal process before."""
    descriptor = os.environ.pop(VARIABLE, "")
    if descriptor:
        with suppress(BrokenPipeError), os.fdopen(int(descriptor), "w") as pipe:
            pipe.write(f"{line}\n")
