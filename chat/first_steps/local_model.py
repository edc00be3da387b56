"""Whether the model that the supervisor runs on this machine (`LOCAL_MODEL`) answers."""

import json
from pathlib import Path
from typing import Literal

import httpx2
from django.conf import settings

from host.processes import start_time
from limits.models import MAX_LOCAL_MODEL_ANSWER_S

State = Literal["none", "loading", "ended", "answers"]


def name() -> str:
    return str(settings.LOCAL_MODEL.get("name", ""))


def state() -> State:
    """`none`: the supervisor was not asked to run one."""
    if not settings.LOCAL_MODEL:
        return "none"
    if _answers():
        return "answers"
    return "loading" if _runs(Path(settings.HOME) / "run" / "model.json") else "ended"


def _answers() -> bool:
    local = settings.LOCAL_MODEL
    headers = {"Authorization": f"Bearer {local['api_key']}"}
    try:
        answer = httpx2.get(
            f"{local['base_url']}/models",
            headers=headers,
            timeout=MAX_LOCAL_MODEL_ANSWER_S,
            trust_env=False,
        )
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return False
    return answer.is_success


def _runs(record: Path) -> bool:
    """Whether the recorded process is there, which may have ended or been replaced."""
    try:
        process = json.loads(record.read_text())
        return bool(process["started"]) and start_time(int(process["pid"])) == process["started"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
