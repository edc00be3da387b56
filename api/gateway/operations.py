"""What anybody may ask of a provider: the table of `docs/gateway.md`.

Each row runs a model or names models, and creates nothing that another holder of the provider's key
could read by a row. A call without a row is passed on only where an admin has said that members
share the key's objects (`Provider.shares_objects`), and only to whom all models are open: it may
name a model where nobody looks.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote


class Body(StrEnum):
    NONE = "none"
    JSON = "JSON"
    FORM = "form"


class Place(StrEnum):
    """Where a call names its model."""

    BODY = "body"
    PATH = "path"
    NOWHERE = "nowhere"


@dataclass(frozen=True)
class Operation:
    """`path` is below the provider's base URL, as it is sent: another spelling of it is another
    path. At its end may stand `{model}`."""

    method: str
    path: str
    body: Body
    model: Place

    def takes(self, method: str, path: str) -> bool:
        if method.replace("HEAD", "GET") != self.method:
            return False
        if self.model is not Place.PATH:
            return path == self.path
        return re.fullmatch(re.escape(self._stem) + _MODEL, path) is not None

    def model_in(self, path: str) -> str:
        """The name of the model in a path that ends with it."""
        return unquote(path.removeprefix(self._stem))

    @property
    def _stem(self) -> str:
        return self.path.removesuffix("{model}")


# Of ASCII characters; `api.gateway.paths` refuses encoded slashes, dots and percent signs.
_MODEL = r"(?:[A-Za-z0-9._~:@+/-]|%[2-7][0-9A-Fa-f])+"

_BY_JSON = (
    # OpenAI
    "chat/completions",
    "completions",
    "embeddings",
    "moderations",
    "responses",
    "responses/compact",
    "responses/input_tokens",
    "audio/speech",
    "images/generations",
    "images/edits",
    # Anthropic
    "messages",
    "messages/count_tokens",
    "complete",
    # Compatible servers: vLLM, SGLang, llama.cpp, Infinity, OpenRouter, Mistral
    "rerank",
    "reranking",
    "score",
    "classify",
    "tokenize",
    "detokenize",
    "fim/completions",
    "ocr",
)
_BY_FORM = ("images/edits", "images/variations", "audio/transcriptions", "audio/translations")

OPERATIONS = (
    Operation("GET", "models", Body.NONE, Place.NOWHERE),
    Operation("GET", "models/{model}", Body.NONE, Place.PATH),
    *(Operation("POST", path, Body.JSON, Place.BODY) for path in _BY_JSON),
    *(Operation("POST", path, Body.FORM, Place.BODY) for path in _BY_FORM),
)


def operations_at(method: str, path: str) -> list[Operation]:
    """The rows of a call: none, or one for each kind of body."""
    return [row for row in OPERATIONS if row.takes(method, path)]
