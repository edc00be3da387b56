"""What a card of a tool call offers beside its result."""

import pytest

from chat.presentation.calls import call_view
from tracing.models import Span

ENDED = "No connection to the server s: the person has to connect their account to this server"


def wants_account(result: str, **attributes: str) -> bool:
    span = Span(status=Span.Status.FAILED, attributes=attributes)
    call = {"function": {"name": "s-read", "arguments": "{}"}}
    return call_view(call, span, result).wants_account


@pytest.mark.parametrize("kind", ["no_account", "account_ended"])
def test_a_call_without_an_account_offers_to_connect_one(kind: str) -> None:
    assert wants_account("any words", failure=kind)


def test_words_of_a_tool_offer_nothing() -> None:
    assert not wants_account(f"{ENDED} first.", failure="")


def test_a_call_from_before_kinds_were_stored_goes_by_its_words() -> None:
    assert wants_account(f"{ENDED} again.")
    assert not wants_account("No such file.")
