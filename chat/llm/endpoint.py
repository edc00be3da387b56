"""Where a model is served. Knows no SDK: those take 40 MB and a second, and the web never calls."""

from dataclasses import dataclass
from typing import Literal

from limits.models import MAX_PROVIDER_SILENCE_S

Kind = Literal["openai", "anthropic"]


@dataclass(frozen=True)
class Endpoint:
    """Where a model is served, and which protocol that is. `idle_s` is the longest silence before a
    call counts as stalled."""

    base_url: str
    api_key: str
    idle_s: float = MAX_PROVIDER_SILENCE_S
    kind: Kind = "openai"
