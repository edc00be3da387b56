"""Conversations whose MCP servers restart, or change, between and within their turns."""

from collections.abc import Callable

import pytest

from chat.models import LanguageModel, Turn
from chat.tests.engine.conftest import answer_rings
from tools.mcp import listing
from tools.models import Policy, Server
from tools.tests.mcp.test_http_servers import port_of
from tools.tests.servers import web
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = [pytest.mark.postgres, pytest.mark.long]

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


def register(url: str, name: str = "web") -> Server:
    """As an admin does it: what the server lists first is approved."""
    row = Server.objects.create(
        name=name,
        transport=Server.Transport.HTTP,
        url=url,
        mode=Server.Mode.LEGACY,
        policy=Policy.ALLOW,
        allow_private=True,
    )
    finding = listing.refresh(row)
    assert not finding.error
    return row


def results(turn: Turn) -> list[str]:
    """What the model was shown of the calls of a turn."""
    shown = Payload.objects.filter(
        span__trace=turn.trace, span__kind=Span.Kind.TOOL, stage=Payload.Stage.SHOWN
    )
    return [payloads.load(one).decode() for one in shown.select_related("span__trace")]


def test_a_conversation_goes_on_with_a_server_that_was_restarted(model: Model, send: Send) -> None:
    asking = model("stub-r0-ask-n5")
    with web.serving(web.good()) as url:
        register(url)
        first = answer_rings(send(asking, 'call web-echo {"text": "before"}'))
    with web.serving(web.good(), port_of(url)):
        text = 'call web-echo {"text": "after"}'
        second = answer_rings(send(asking, text, first.conversation))
    assert (results(first), results(second)) == (["before"], ["after"])
