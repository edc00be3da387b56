"""Making links, their preview, and the section of the settings."""

import json
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import Attachment, Conversation, Message, SharedFile, SharedLink
from chat.own_data import rows
from chat.sharing import links, policy, section
from chat.tests.builders import AConversation, a_user
from chat.tests.sharing.conftest import PLANTED, share
from limits.sharing import MAX_SHARED_LINKS

pytestmark = [pytest.mark.django_db, pytest.mark.long]
EVERYTHING = {"with_results": "1", "with_attachments": "1", "with_reasoning": "1"}


@pytest.fixture
def own(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def address(conversation: AConversation) -> str:
    return reverse("chat:share", args=[conversation.row.public_id])


def preview(client: Client, conversation: AConversation, **given: Any) -> str:
    response = client.post(address(conversation), given, headers={"X-Requested-With": "fetch"})
    assert response.status_code == 200
    return response.content.decode()


def test_the_preview_is_what_others_will_see(
    own: Client, conversation: AConversation, stranger: Client, settings: Any
) -> None:
    settings.SHARED_LINKS = "everybody"
    html = preview(own, conversation, **EVERYTHING)
    assert PLANTED not in html and "secrets on this page are masked" in html
    made = own.post(address(conversation), {**EVERYTHING, "create": "1", "audience": "everybody"})
    page = stranger.get(SharedLink.objects.get().path).content.decode()
    assert made.status_code == 302
    for text in ("A marsupial", "web_search", "notes.txt", "I think of"):
        assert text in html and text in page


def test_hidden_things_stay_hidden_while_other_choices_change(
    own: Client, conversation: AConversation
) -> None:
    key = str(Message.objects.filter(role="user").earliest("pk").public_id)
    html = preview(own, conversation, hide=key, **EVERYTHING)
    assert "What is a quokka" not in html and f'value="{key}"' in html and "checked" in html
    elsewhere = preview(own, conversation, hide=["of-another-page", key])
    assert '<input type="hidden" name="hide" value="of-another-page"' in elsewhere


def test_a_snapshot_keeps_its_own_files(conversation: AConversation) -> None:
    link = share(conversation.row)
    assert b"[redacted" in bytes(link.files.exclude(key="traces").get().content)
    Attachment.objects.all().delete()
    assert SharedFile.objects.filter(link=link).exists()
    conversation.row.delete()
    assert not SharedLink.objects.exists() and not SharedFile.objects.exists()


def test_the_token_is_found_by_its_hash_and_stored_encrypted(conversation: AConversation) -> None:
    link = share(conversation.row)
    with connection.cursor() as cursor:
        cursor.execute("SELECT token, digest FROM chat_sharedlink")
        stored = cursor.fetchone()
    assert len(link.token) == 32 and link.token not in str(stored)
    assert links.find(link.token) == link


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"audience": "everybody"}, "does not allow links for these people"),
        ({"days": "0"}, "open so long"),
        ({"days": "100000"}, "open so long"),
        ({"hide": [str(number) for number in range(501)]}, "Too much is hidden"),
        ({"turn": "00000000-0000-4000-8000-000000000000"}, "nothing to share"),
    ],
)
def test_what_is_not_allowed_is_refused_with_a_sentence(
    own: Client, conversation: AConversation, given: Any, sentence: str
) -> None:
    response = own.post(address(conversation), {**given, "create": "1"})
    assert response.status_code == 409 and sentence in response.content.decode()
    assert not SharedLink.objects.exists()


def test_a_temporary_conversation_is_not_shared(own: Client, owner: User) -> None:
    conversation = AConversation(owner, is_temporary=True)
    conversation.turn("?", "!")
    response = own.post(address(conversation), {"create": "1"})
    assert response.status_code == 409 and not SharedLink.objects.exists()


def test_links_can_be_switched_off(own: Client, conversation: AConversation, settings: Any) -> None:
    settings.SHARED_LINKS = "off"
    assert own.get(address(conversation)).status_code == 409


def test_an_empty_conversation_says_that_there_is_nothing(own: Client, owner: User) -> None:
    response = own.get(address(AConversation(owner)))
    assert response.status_code == 409 and b"nothing to share yet" in response.content


def test_without_a_maximum_links_may_have_no_end(settings: Any) -> None:
    settings.SHARED_LINK_DAYS = 0
    assert policy.days()[-1] == 0
    settings.SHARED_LINK_DAYS = 3
    assert policy.days() == [1]


def test_a_person_has_so_many_open_links(own: Client, conversation: AConversation) -> None:
    SharedLink.objects.bulk_create(
        SharedLink(
            owner=conversation.row.owner,
            conversation=conversation.row,
            audience="signed_in",
            digest=str(number),
        )
        for number in range(MAX_SHARED_LINKS)
    )
    response = own.post(address(conversation), {"create": "1"})
    assert response.status_code == 409 and b"open links" in response.content


def test_the_settings_list_links_and_revoke_them(own: Client, conversation: AConversation) -> None:
    first, second = (share(conversation.row, audience="signed_in") for _ in range(2))
    html = own.get(reverse("settings:index")).content.decode()
    assert f"http://testserver{first.path}" in html
    own.post(reverse("settings:revoke_link", args=[first.public_id]))
    html = own.get(reverse("settings:index")).content.decode()
    assert first.path not in html and second.path in html and "revoked" in html
    own.post(reverse("settings:revoke_links"))
    assert not SharedLink.objects.alive().exists()


def test_the_settings_list_every_open_link(
    own: Client, conversation: AConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(section, "MAX_LISTED_LINKS", 2)
    first, *others = (share(conversation.row, audience="signed_in") for _ in range(4))
    links.revoke(SharedLink.objects.filter(pk__in=[link.pk for link in others]), first.owner)
    html = own.get(reverse("settings:index")).content.decode()
    assert first.path in html and html.count("revoked</span>") == 1


def test_nobody_revokes_another_s_link(other: Client, conversation: AConversation) -> None:
    link = share(conversation.row, audience="signed_in")
    assert other.post(reverse("settings:revoke_link", args=[link.public_id])).status_code == 404
    other.post(reverse("settings:revoke_links"))
    assert SharedLink.objects.alive().count() == 1


def test_an_admin_sees_that_there_is_a_link_and_revokes_it(
    client: Client, conversation: AConversation
) -> None:
    link = share(conversation.row, audience="signed_in")
    admin = a_user("admin", is_staff=True)
    admin.user_permissions.set(Permission.objects.filter(codename__endswith="_sharedlink"))
    client.force_login(admin)
    page = reverse("admin:chat_sharedlink_change", args=[link.pk])
    index = reverse("admin:chat_sharedlink_changelist")
    for url in (page, index):
        html = client.get(url).content.decode()
        assert str(link.public_id) in html
        assert "Quokkas" not in html and link.token not in html
    client.post(index, {"action": "revoke", "_selected_action": [link.pk]})
    assert not SharedLink.objects.alive().exists()


def test_the_log_names_who_and_what_and_no_address(
    conversation: AConversation, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    link = share(conversation.row, audience="signed_in")
    token = link.token
    links.revoke(SharedLink.objects.all(), link.owner)
    logged = caplog.text
    assert logged.count(str(link.public_id)) == 2 and token not in logged


def test_what_has_ended_is_erased(conversation: AConversation) -> None:
    link = share(conversation.row)
    SharedLink.objects.update(ends=timezone.now() - timedelta(days=1))
    links.sweep()
    link.refresh_from_db()
    assert not link.packed and not link.token and not link.files.exists() and not link.revoked


def test_the_archive_of_one_s_data_has_the_links_without_their_addresses(
    conversation: AConversation,
) -> None:
    link = share(conversation.row)
    tables = {label: list(found) for label, found in rows.exported(conversation.row.owner)}
    (row,) = tables["chat.sharedlink.owner"]
    assert row["public_id"] == str(link.public_id)
    assert link.token not in json.dumps(row) and link.digest not in json.dumps(row)


def test_a_copy_is_a_conversation_of_one_s_own(other: Client, conversation: AConversation) -> None:
    for is_snapshot in (True, False):
        link = share(conversation.row, audience="signed_in", is_snapshot=is_snapshot)
        response = other.post(reverse("shared:copy", args=[link.token]))
        copied = Conversation.objects.get(owner__username="other", public_id=_id(response))
        bodies = [one.body for one in copied.messages.order_by("pk")]
        assert [one["role"] for one in bodies] == ["user", "assistant", "tool", "assistant"]
        assert PLANTED not in json.dumps(bodies) and "quokka.example" in json.dumps(bodies)
        attachment = Attachment.objects.get(message__conversation=copied)
        assert attachment.owner.username == "other" and b"[redacted" in bytes(attachment.content)
        assert other.get(copied.get_absolute_url()).status_code == 200


def _id(response: Any) -> str:
    assert response.status_code == 302
    return str(response["Location"]).strip("/").removeprefix("c/")


def test_a_copy_has_nothing_of_what_is_hidden(other: Client, conversation: AConversation) -> None:
    hidden = frozenset(str(one) for one in Message.objects.values_list("public_id", flat=True))
    link = share(conversation.row, audience="signed_in", hidden=hidden)
    copied = other.post(reverse("shared:copy", args=[link.token]))
    bodies = json.dumps(
        list(
            Message.objects.filter(conversation__public_id=_id(copied)).values_list(
                "body", flat=True
            )
        )
    )
    assert "marsupial" not in bodies and "quokka" not in bodies and "hidden" in bodies
