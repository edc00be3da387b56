"""What a page says."""

from http import HTTPStatus
from typing import Any

from django.test import Client

from chat.tests.builders import AConversation


def page_html(page: Client, url: str) -> str:
    response = page.get(url)
    assert response.status_code == HTTPStatus.OK
    return response.content.decode()


def turn_with_calls(conversation: AConversation, *statuses: str) -> Any:
    turn = conversation.turn()
    calls = tuple(("sqlite-read_query", {"query": f"SELECT {n}"}) for n, _ in enumerate(statuses))
    for call, status in zip(turn.round(calls=calls), statuses, strict=True):
        turn.end_call(call, f"[{{'n': {call.number}}}]", status)
    return turn
