"""The endpoint of a model. Imports no SDK: loading one takes 40 MB and a second."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from limits.models import MAX_PROVIDER_SILENCE_S

Kind = Literal["openai", "anthropic"]

ANTHROPIC_HOST = "anthropic.com"


@dataclass(frozen=True)
class Endpoint:
    """Address, key and protocol (`kind`) of a model server. `idle_s`: seconds without data after
    which a call counts as stalled."""

    base_url: str
    api_key: str
    idle_s: float = MAX_PROVIDER_SILENCE_S
    kind: Kind = "openai"


def is_anthropic(base_url: str) -> bool:
    """Whether it is Anthropic's own endpoint, not a compatible one."""
    host = urlsplit(base_url).hostname or ""
    return host == ANTHROPIC_HOST or host.endswith(f".{ANTHROPIC_HOST}")
