"""`ROUNDTRIP_HOME`: the folder with all state of an instance; nothing is written outside of it.

Keys are generated on first use, readable by their owner only.
"""

import json
import os
import secrets
from pathlib import Path
from typing import Any

BASE_DIR = Path(__file__).resolve().parent.parent
# The variable in which the supervisor describes the local model as JSON; the name of its API key.
LOCAL_MODEL = "ROUNDTRIP_LOCAL_MODEL"
LOCAL_MODEL_KEY = "local_model"


def is_checkout() -> bool:
    """Whether the product runs from its repository; otherwise it was installed from a wheel."""
    return (BASE_DIR / "pyproject.toml").exists()


def path() -> Path:
    """The home folder; created if it is missing."""
    home = Path(os.environ.get("ROUNDTRIP_HOME") or default()).resolve()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return home


def default() -> Path:
    """`var` in a checkout; else where the XDG Base Directory Specification has a user's data."""
    if is_checkout():
        return BASE_DIR / "var"
    data = os.environ.get("XDG_DATA_HOME", "")
    # A relative path there is invalid, and ignored, by the specification.
    folder = Path(data) if data.startswith("/") else Path.home() / ".local/share"
    return folder / "roundtrip"


def secret(name: str, nbytes: int = 48) -> str:
    """The secret in `keys/<name>`; generated from `nbytes` random bytes on first use."""
    file = path() / "keys" / name
    if not file.exists():
        file.parent.mkdir(mode=0o700, exist_ok=True)
        _create(file, secrets.token_urlsafe(nbytes))
    return file.read_text().strip()


def running_redis() -> str:
    """The URL of the private Redis that a supervisor runs for this home; "" if there is none."""
    return str(_process_record("redis").get("url", ""))


def local_model() -> dict[str, Any]:
    """The local model that the supervisor runs; {} if there is none.

    Has `base_url`, `name`, `context` (tokens), `bundled`, `api_key`.
    """
    variable = os.environ.get(LOCAL_MODEL)
    model = json.loads(variable) if variable else _process_record("model").get("model")
    return {**model, "api_key": secret(LOCAL_MODEL_KEY)} if model else {}


def _process_record(name: str) -> dict[str, Any]:
    """The supervisor's record of a process (`run/<name>.json`); {} if it does not run."""
    try:
        record = json.loads((path() / "run" / f"{name}.json").read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _create(file: Path, text: str) -> None:
    """Write a new file atomically; if another process has created it first, that one stays."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text + "\n")
    try:
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
