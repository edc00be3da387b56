"""Whether commands can be run here. A kernel may forbid what bubblewrap needs, so it is tried."""

import logging
import tempfile
import threading
import time
from pathlib import Path

from languages.stored import stored
from tools.errors import ToolError
from tools.workspace import sandbox
from tools.workspace.limits import Limits

logger = logging.getLogger(__name__)

# Whoever installs bubblewrap need not restart; what works goes on working.
_AGAIN_SECONDS = 60.0
_guard = threading.Lock()
_found: tuple[float, str] | None = None


def available() -> str:
    """Why there is no sandbox here, as sentences; "" if there is one. Tried really, and kept."""
    global _found
    with _guard:
        now = time.monotonic()
        if _found is None or (_found[1] and now - _found[0] > _AGAIN_SECONDS):
            _found = now, _tried()
        return _found[1]


def _tried() -> str:
    try:
        with tempfile.TemporaryDirectory() as folder:
            outcome = sandbox.run(["/bin/true"], Path(folder), Limits(seconds=10))
    except FileNotFoundError:
        return stored("There is no sandbox: bubblewrap (the program bwrap) is not installed.")
    except (ToolError, OSError) as error:
        return _refused(str(error))
    if outcome.code == 0:
        return ""
    return _refused(outcome.limit or outcome.output.decode(errors="replace").strip())


def _refused(why: str) -> str:
    logger.warning("bubblewrap does not work here: %s", why)
    return stored(
        "There is no sandbox: this machine does not let bubblewrap work (%(why)s).", why=why
    )
