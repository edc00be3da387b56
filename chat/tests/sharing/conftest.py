"""A conversation with secrets in it, and links to it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Attachment, Conversation, SharedLink
from chat.sharing import choices, links
from chat.sharing.choices import Choices
from chat.tests.builders import AConversation, a_user
from tests.signing_in import signed_in

# Of a provider's row, which the database keeps; and one that only its form gives away.
KEPT = "quokka.secret.of.the.provider"
PLANTED = "sk-proj-abcdefghijklmnop0123456789"


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def stranger() -> Client:
    return Client()


@pytest.fixture
def other() -> Client:
    return signed_in(a_user("other"))


@pytest.fixture
def conversation(owner: User) -> AConversation:
    """A question with an attachment, a search, and an answer with a formula; each has secrets."""
    conversation = AConversation(owner, f"Quokkas {PLANTED}")
    turn = conversation.turn(f"What is a quokka? {PLANTED}")
    attach(turn.question, "notes.txt", "text/plain", f"notes {PLANTED}".encode())
    (call,) = turn.round(
        f"Let me look. {PLANTED}",
        (("web_search", {"query": f"quokka {PLANTED}"}),),
        reasoning_content=f"I think of {PLANTED}.",
    )
    turn.end_call(call, f"1. Quokka\n   https://quokka.example/about\n   {PLANTED}")
    turn.round(f"A marsupial, $x^2$. Password: hunter2! {PLANTED}")
    return conversation


def attach(message: Any, name: str, media_type: str, content: bytes) -> Attachment:
    row = Attachment.objects.create(
        owner=message.conversation.owner,
        message=message,
        name=name,
        media_type=media_type,
        size=len(content),
        content=content,
    )
    about = {"name": name, "media_type": media_type, "size": len(content)}
    url = f"attachment:{row.public_id}"
    kind = "image_url" if media_type.startswith("image/") else "file"
    named = {"url": url} if kind == "image_url" else {"filename": name, "file_id": url}
    text = {"type": "text", "text": message.body["content"]}
    message.body = {
        **message.body,
        "content": [text, {"type": kind, kind: named, "attachment": about}],
    }
    message.save()
    return row


ALL = frozenset(choices.PARTS)


def share(conversation: Conversation, **chosen: Any) -> SharedLink:
    """A link for everybody with all parts, unless `chosen` says otherwise."""
    given = {"audience": "everybody", "parts": ALL - {"with_name"}, **chosen}
    return links.create(conversation.owner, conversation, Choices(**given))
