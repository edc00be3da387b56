"""The recorded request of a generation, as a program needs it."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from chat.errors import Rejected
from chat.llm.recording import MASK, Headers
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span
from tracing.models.attributes import payload_attributes
from tracing.store import payloads

MESSAGES_PATH = "/messages"
# What the HTTP client writes itself, and has to.
CLIENTS_OWN = frozenset({"host", "content-length", "connection", "transfer-encoding"})


@dataclass(frozen=True)
class Sent:
    """`headers` are those that the program has to set; secrets in them are `MASK`. `redacted`: a
    known secret was replaced in the body before it was stored."""

    method: str
    url: str
    headers: Headers
    body: bytes
    redacted: bool = False

    @property
    def speaks_messages_api(self) -> bool:
        return urlsplit(self.url).path.endswith(MESSAGES_PATH)

    @property
    def key_variable(self) -> str:
        """The environment variable in which the program looks for the key."""
        return "ANTHROPIC_API_KEY" if self.speaks_messages_api else "OPENAI_API_KEY"


def sent_by(generation: Span) -> Sent:
    """Raises Rejected with a sentence if nothing was sent, or what is stored is damaged."""
    stored = (
        Payload.objects.select_related("span__trace")
        .filter(span=generation, stage=Payload.Stage.REQUEST)
        .first()
    )
    if stored is None:
        raise Rejected("Nothing was sent in this attempt.")
    try:
        body = payloads.load(stored)
    except PayloadCorrupt as error:
        raise Rejected(f"The stored data is damaged: {error.reason}.") from error
    noted = payload_attributes(stored)
    headers = [
        (str(name), str(value))
        for name, value in noted.get("headers") or ()
        if str(name).lower() not in CLIENTS_OWN
    ]
    return Sent(
        str(noted.get("method") or "POST"),
        str(noted.get("url") or ""),
        headers,
        body,
        stored.redacted,
    )


def is_masked(value: str) -> bool:
    return MASK in value
