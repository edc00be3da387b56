"""The recorded request of a generation, as input for `curl` and `python`."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.utils.translation import gettext

from chat.errors import Rejected
from chat.llm.recording import MASK, Headers
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span
from tracing.models.attributes import payload_attributes
from tracing.store import payloads

MESSAGES_PATH = "/messages"
# Headers that the HTTP client sets itself.
CLIENT_HEADERS = frozenset({"host", "content-length", "connection", "transfer-encoding"})


@dataclass(frozen=True)
class RecordedRequest:
    """`headers`: those that the program has to set, secrets as `MASK`. `redacted`: a known secret
    in the body was masked before it was stored."""

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
        """The environment variable from which the program reads the key."""
        return "ANTHROPIC_API_KEY" if self.speaks_messages_api else "OPENAI_API_KEY"


def recorded_request(generation: Span) -> RecordedRequest:
    """The request. Raises Rejected if none was sent, or the stored data is damaged."""
    stored = (
        Payload.objects.select_related("span__trace")
        .filter(span=generation, stage=Payload.Stage.REQUEST)
        .first()
    )
    if stored is None:
        raise Rejected(gettext("Nothing was sent in this attempt."))
    try:
        body = payloads.load(stored)
    except PayloadCorrupt as error:
        raise Rejected(
            gettext("The stored data is damaged: %(reason)s.") % {"reason": error.reason}
        ) from error
    attributes = payload_attributes(stored)
    headers = [
        (str(name), str(value))
        for name, value in attributes.get("headers") or ()
        if str(name).lower() not in CLIENT_HEADERS
    ]
    return RecordedRequest(
        str(attributes.get("method") or "POST"),
        str(attributes.get("url") or ""),
        headers,
        body,
        stored.redacted,
    )


def is_masked(value: str) -> bool:
    return MASK in value
