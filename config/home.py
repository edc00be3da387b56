"""`ROUNDTRIP_HOME`: the one folder with all state of an instance.

Nothing outside of it is written. Keys are made on first use, readable by their owner only.
"""

import json
import os
import secrets
from pathlib import Path
from typing import Any

BASE_DIR = Path(__file__).resolve().parent.parent
# A variable in which the supervisor describes the model that it runs; the name of its key.
LOCAL_MODEL = "ROUNDTRIP_LOCAL_MODEL"
LOCAL_MODEL_KEY = "local_model"


def path() -> Path:
    """The home folder, made if it is missing."""
    home = Path(os.environ.get("ROUNDTRIP_HOME") or BASE_DIR / "var").resolve()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return home


def secret(name: str, nbytes: int = 48) -> str:
    """The secret `name`, from `$HOME/keys/name`; made at random when asked for the first time."""
    file = path() / "keys" / name
    if not file.exists():
        file.parent.mkdir(mode=0o700, exist_ok=True)
        _create(file, secrets.token_urlsafe(nbytes))
    return file.read_text().strip()


def running_redis() -> str:
    """The URL of the private Redis that a supervisor runs for this home; "" if there is none."""
    return str(_running("redis").get("url", ""))


def local_model() -> dict[str, Any]:
    """What the supervisor says of the model that it runs, and its key; {} if there is none.

    Has `base_url`, `name`, `context` (tokens), `bundled`, `api_key`.
    """
    told = os.environ.get(LOCAL_MODEL)
    model = json.loads(told) if told else _running("model").get("model")
    return {**model, "api_key": secret(LOCAL_MODEL_KEY)} if model else {}


def _running(name: str) -> dict[str, Any]:
    """What the supervisor has recorded of a process; {} if it does not run."""
    try:
        record = json.loads((path() / "run" / f"{name}.json").read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _create(file: Path, text: str) -> None:
    """Write `text` so that of two processes that start at once exactly one wins."""
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
