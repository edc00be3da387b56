"""The endpoint of a model. Imports no SDK: loading one takes 40 MB and a second."""

from dataclasses import dataclass
from typing import Literal

from limits.models import MAX_PROVIDER_SILENCE_S

Kind = Literal["openai", "anthropic"]


@dataclass(frozen=True)
class Endpoint:
    """Address, key and protocol (`kind`) of a model server. `idle_s`: seconds without data after
    which a call counts as stalled."""

    base_url: str
    api_key: str
    idle_s: float = MAX_PROVIDER_SILENCE_S
    kind: Kind = "openai"
