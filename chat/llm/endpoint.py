"""Where a model is served. Knows no SDK: those take 40 MB and a second, and the web never calls."""

from dataclasses import dataclass
from typing import Literal

IDLE_SECONDS = 60.0

Kind = Literal["openai", "anthropic"]


@dataclass(frozen=True)
class Endpoint:
    """Where a model is served, and which protocol that is. `idle_s` is the longest silence before a
    call counts as stalled."""

    base_url: str
    api_key: str
    idle_s: float = IDLE_SECONDS
    kind: Kind = "openai"
