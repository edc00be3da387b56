"""Searches find what others share."""

import pytest
from django.contrib.auth.models import User

from chat.search.indexing import index_noted
from chat.tests.builders import AConversation, a_user
from tests.signing_in import signed_in

pytestmark = pytest.mark.postgres


def found(user: User, address: str) -> bool:
    client = signed_in(user)
    return b"How quokkas live" in client.get(address).content


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("address", ["/search?q=three", "/search?q=three&state=shared"])
def test_a_member_finds_the_messages_of_a_shared_conversation(
    to_read: AConversation, member: User, address: str
) -> None:
    index_noted()
    assert found(member, address)
    assert not found(a_user("stranger"), address)


def test_the_list_has_what_is_shared_by_its_filter_only(
    to_read: AConversation, member: User
) -> None:
    assert found(member, "/search?state=shared")
    assert not found(member, "/search")
