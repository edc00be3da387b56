"""What opens below the address of a link."""

import base64
import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from chat.commands import conversations
from chat.models import Conversation, Message, Provider, SharedLink, Turn
from chat.sharing import links
from chat.tests.builders import AConversation
from chat.tests.sharing.conftest import ALL, KEPT, PLANTED, attach, share
from limits.sharing import MAX_UNKNOWN_LINKS
from tracing.models import Span
from tracing.store import payloads

pytestmark = [pytest.mark.django_db, pytest.mark.long]


@pytest.fixture(autouse=True)
def everybody(settings: Any) -> None:
    settings.SHARED_LINKS = "everybody"


def key_of(call: Span) -> str:
    """By which its arguments and result are hidden."""
    return f"{call.attributes['message']}.{call.number}"


def shown(client: Client, link: SharedLink) -> str:
    response = client.get(link.path)
    assert response.status_code == 200
    return response.content.decode()


def test_a_stranger_reads_a_link_for_everybody(
    stranger: Client, conversation: AConversation
) -> None:
    html = shown(stranger, share(conversation.row))
    assert "What is a quokka?" in html and "A marsupial" in html and "<math" in html
    assert "web_search" in html and 'href="https://quokka.example/about"' in html
    assert "owner" not in html.replace("shared", "")


def test_nothing_of_it_is_kept_or_told_to_others(
    stranger: Client, conversation: AConversation
) -> None:
    response = stranger.get(share(conversation.row).path)
    assert response["Referrer-Policy"] == "no-referrer"
    assert "noindex" in response["X-Robots-Tag"] and "no-store" in response["Cache-Control"]
    assert 'name="referrer" content="no-referrer"' in response.content.decode()
    assert not response.cookies and "csrfmiddlewaretoken" not in response.content.decode()


@pytest.mark.parametrize("is_snapshot", [True, False])
def test_a_secret_is_nowhere(
    stranger: Client, conversation: AConversation, is_snapshot: bool
) -> None:
    Provider.objects.create(name="P", base_url="http://127.0.0.1:1/v1", api_key=KEPT)
    conversation.turn(f"And {KEPT}?", f"`{KEPT[:12]}` no, **{KEPT}**")
    link = share(conversation.row, is_snapshot=is_snapshot)
    html = shown(stranger, link)
    for secret in (KEPT, PLANTED, PLANTED[8:], "hunter2"):
        assert secret not in html
    assert html.count("[redacted") >= 6


def test_a_text_file_is_masked_too(stranger: Client, conversation: AConversation) -> None:
    for is_snapshot in (True, False):
        link = share(conversation.row, is_snapshot=is_snapshot)
        key = Message.objects.earliest("pk").attachments.get().public_id
        response = stranger.get(reverse("shared:attachment", args=[link.token, key]))
        assert response.status_code == 200 and response.content.startswith(b"notes [redacted")
        assert "sandbox" in response["Content-Security-Policy"]


def test_what_is_left_out_is_not_there(stranger: Client, conversation: AConversation) -> None:
    html = shown(stranger, share(conversation.row, parts=frozenset()))
    assert "quokka.example" not in html and "I think of" not in html and "notes.txt" not in html


def test_what_is_hidden_is_not_there(stranger: Client, conversation: AConversation) -> None:
    question = Message.objects.filter(role="user").earliest("pk")
    link = share(conversation.row, hidden=frozenset({str(question.public_id)}))
    html = shown(stranger, link)
    assert "What is a quokka" not in html and "Hidden by the person" in html
    key = question.attachments.get().public_id
    assert stranger.get(reverse("shared:attachment", args=[link.token, key])).status_code == 404


def test_ids_of_other_conversations_are_nothing_below_a_token(
    stranger: Client, conversation: AConversation, owner: User
) -> None:
    elsewhere = AConversation(owner).turn("Hidden").question
    foreign = attach(elsewhere, "foreign.txt", "text/plain", b"foreign")
    for is_snapshot in (True, False):
        token = share(conversation.row, is_snapshot=is_snapshot).token
        for key in (foreign.public_id, uuid.uuid4()):
            url = reverse("shared:attachment", args=[token, key])
            assert stranger.get(url).status_code == 404
            url = reverse("shared:media", args=[token, key, 0])
            assert stranger.get(url).status_code == 404


def test_a_link_for_people_who_are_signed_in_asks_strangers_to(
    stranger: Client, other: Client, conversation: AConversation
) -> None:
    link = share(conversation.row, audience="signed_in")
    assert stranger.get(link.path)["Location"].startswith("/accounts/login/")
    assert "A marsupial" in shown(other, link)


def test_what_the_operator_allows_counts_for_old_links(
    stranger: Client, other: Client, conversation: AConversation, settings: Any
) -> None:
    link = share(conversation.row)
    settings.SHARED_LINKS = "signed_in"
    assert stranger.get(link.path).status_code == 302
    settings.SHARED_LINKS = "off"
    assert other.get(link.path).status_code == 404


def over(link: SharedLink, how: str) -> str:
    """The address, after the link is over in this way."""
    path, rows = link.path, SharedLink.objects.filter(pk=link.pk)
    if how == "revoked":
        links.revoke(rows, link.owner)
    elif how == "ended":
        rows.update(ends=timezone.now() - timedelta(seconds=1))
    elif how == "deleted":
        conversations.delete(Conversation.objects.filter(pk=link.conversation_id))
    elif how == "inactive":
        User.objects.filter(pk=link.owner_id).update(is_active=False)
    else:
        return reverse("shared:page", args=["unknown-token-of-nobody"])
    return path


@pytest.mark.parametrize("how", ["revoked", "ended", "deleted", "inactive"])
def test_a_link_that_is_over_answers_as_an_unknown_one(
    stranger: Client, conversation: AConversation, how: str
) -> None:
    link = share(conversation.row)
    shown(stranger, link)
    unknown = stranger.get(over(link, "unknown"))
    response = stranger.get(over(link, how))
    assert response.status_code == unknown.status_code == 404
    assert response.content == unknown.content
    assert b"has ended, was revoked" in response.content


def test_a_share_opened_after_it_was_revoked_has_no_file_either(
    stranger: Client, conversation: AConversation
) -> None:
    link = share(conversation.row)
    key = Message.objects.earliest("pk").attachments.get().public_id
    below = [
        reverse("shared:attachment", args=[link.token, key]),
        reverse("shared:trace", args=[link.token, 1]),
        reverse("shared:copy", args=[link.token]),
    ]
    over(link, "revoked")
    assert [stranger.get(url).status_code for url in below] == [404, 404, 404]
    link.refresh_from_db()
    assert not link.packed and not link.token and not link.files.exists()


def test_a_share_that_is_revoked_while_it_is_opened_shows_nothing(
    stranger: Client, conversation: AConversation
) -> None:
    link = share(conversation.row)
    SharedLink.objects.update(packed=b"")  # after it was found
    assert stranger.get(link.path).status_code == 404


def test_a_live_link_follows_its_branch(stranger: Client, conversation: AConversation) -> None:
    live, snapshot = share(conversation.row, is_snapshot=False), share(conversation.row)
    conversation.turn("What do they eat?", "Leaves")
    assert "Leaves" in shown(stranger, live) and "Leaves" not in shown(stranger, snapshot)


def test_deleted_messages_vanish_from_a_live_link_at_once(
    stranger: Client, conversation: AConversation, owner: User
) -> None:
    turn = conversation.turn("What do they eat?", "Leaves")
    live, snapshot = share(conversation.row, is_snapshot=False), share(conversation.row)
    Turn.objects.filter(pk=turn.row.pk).update(deleted=timezone.now(), is_shown=False)
    assert "Leaves" not in shown(stranger, live) and "Leaves" in shown(stranger, snapshot)
    SharedLink.objects.move_to_parents(Turn.objects.filter(pk=turn.row.pk))
    Turn.objects.filter(pk=turn.row.pk).delete()
    assert "A marsupial" in shown(stranger, live)


@pytest.mark.parametrize("hides_file", [False, True])
def test_a_hidden_question_stays_hidden_when_it_is_tried_again(
    stranger: Client, owner: User, hides_file: bool
) -> None:
    conversation = AConversation(owner)
    failed = conversation.turn("How tall is Bob?", status="failed")
    file = attach(failed.question, "bob.txt", "text/plain", b"Bob")
    hidden = frozenset({str(file.public_id if hides_file else failed.question.public_id)})
    link = share(conversation.row, is_snapshot=False, hidden=hidden)
    again = conversation.turn("How tall is Bob?", "Tall.", retry_of=failed.row)
    attach(again.question, "bob.txt", "text/plain", b"Bob")
    html = shown(stranger, link)
    assert "Tall." in html and "How tall is" not in html and "bob.txt" not in html


def test_other_branches_are_not_shown(
    stranger: Client, conversation: AConversation, owner: User
) -> None:
    first = Turn.objects.get()
    edited = conversation.turn("Another question?", "Another answer", parent=None)
    Turn.objects.filter(pk=first.pk).update(is_shown=False)
    live = share(conversation.row, is_snapshot=False, turn=first.public_id)
    html = shown(stranger, live)
    assert "A marsupial" in html and "Another" not in html
    assert "Another answer" in shown(stranger, share(conversation.row, turn=edited.row.public_id))


def test_one_answer_has_nothing_before_it(stranger: Client, conversation: AConversation) -> None:
    turn = conversation.turn("What do they eat?", "Leaves")
    html = shown(stranger, share(conversation.row, is_single=True, turn=turn.row.public_id))
    assert "Leaves" in html and "A marsupial" not in html


def test_a_snapshot_stays_when_the_conversation_is_edited(
    stranger: Client, conversation: AConversation
) -> None:
    link = share(conversation.row)
    Message.objects.filter(role="assistant").update(body={"role": "assistant", "content": "No"})
    assert "A marsupial" in shown(stranger, link)


def test_openings_are_counted_but_for_the_owner_s(
    stranger: Client, conversation: AConversation, owner: User
) -> None:
    link, own = share(conversation.row), Client()
    own.force_login(owner)
    shown(stranger, link)
    shown(own, link)
    link.refresh_from_db()
    assert link.opened == 1 and link.last_opened is not None


def test_guesses_are_limited_by_address(
    stranger: Client, other: Client, conversation: AConversation
) -> None:
    link = share(conversation.row)
    for number in range(MAX_UNKNOWN_LINKS):
        assert stranger.get(f"/shared/guess-{number}/").status_code == 404
    assert stranger.get(link.path).status_code == 429
    assert other.get(link.path).status_code == 200


def test_a_long_conversation_has_pages(stranger: Client, owner: User) -> None:
    conversation = AConversation(owner)
    for number in range(45):
        conversation.turn(f"Question {number}?", f"Answer {number}.")
    for is_snapshot in (True, False):
        link = share(conversation.row, is_snapshot=is_snapshot, parts=frozenset())
        assert "Answer 39." in shown(stranger, link) and "Answer 40." not in shown(stranger, link)
        assert "Answer 44." in stranger.get(f"{link.path}?page=2").content.decode()
        assert stranger.get(f"{link.path}?page=3").status_code == 404


def test_a_conversation_that_is_deleted_and_restored_is_shown_again(
    stranger: Client, owner: User
) -> None:
    conversation = AConversation(owner)
    turn = conversation.turn("Hello?", "Yes.").row
    live = share(conversation.row, is_snapshot=False)
    deletion_time = timezone.now()
    Turn.objects.filter(pk=turn.pk).update(deleted=deletion_time)
    assert stranger.get(live.path).status_code == 404
    Turn.objects.filter(pk=turn.pk).update(deleted=None)
    assert "Yes." in shown(stranger, live)


def queries(client: Client, link: SharedLink) -> int:
    with CaptureQueriesContext(connection) as captured:
        shown(client, link)
    return len(captured)


def test_a_page_takes_as_many_queries_however_long_it_is(stranger: Client, owner: User) -> None:
    conversation = AConversation(owner)
    link = share(conversation_with(conversation, 2).row, is_snapshot=False)
    few = queries(stranger, link)
    conversation_with(conversation, 20)
    assert queries(stranger, link) == few <= 14


def conversation_with(conversation: AConversation, turns: int) -> AConversation:
    for _ in range(turns):
        turn = conversation.turn("Look.")
        (call,) = turn.round("", (("web_search", {"query": "quokka"}),))
        turn.end_call(call, "Nothing.")
        turn.round("Nothing is found.")
    return conversation


def test_an_error_does_not_tell_where_a_model_is_served(stranger: Client, owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn("?", status="failed", error="http://10.0.0.7:8000/v1 refused 10.0.0.7:8000.")
    html = shown(stranger, share(conversation.row))
    assert "10.0.0.7" not in html and "refused" in html


def test_a_title_that_gives_something_away_is_replaced(
    stranger: Client, conversation: AConversation
) -> None:
    html = shown(stranger, share(conversation.row, title=" Another  title "))
    assert "<h1" in html and "Another title" in html and "Quokkas" not in html


@pytest.mark.parametrize("is_snapshot", [True, False])
def test_an_image_of_a_result_is_shown_below_the_token_only(
    stranger: Client, conversation: AConversation, is_snapshot: bool
) -> None:
    call = Span.objects.get(kind="tool")
    call.attributes["blocks"] = [
        {"index": 0, "kind": "image", "media_type": "image/png", "size": 8, "name": "map"},
        {"index": 1, "kind": "file", "media_type": "text/plain", "size": 8, "name": "keys"},
    ]
    call.save()
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    content: list[dict[str, Any]] = [{"type": "image", "data": png, "mimeType": "image/png"}]
    content.append({"type": "resource", "resource": {"blob": png, "uri": "file:///keys"}})
    payloads.store(call, "result", json.dumps({"content": content}).encode())
    link = share(conversation.row, is_snapshot=is_snapshot)
    url = reverse("shared:media", args=[link.token, call.public_id, 0])
    assert url in shown(stranger, link)
    assert stranger.get(url)["Content-Type"] == "image/png"
    assert stranger.get(url[:-1] + "1").status_code == 404
    hidden = share(conversation.row, hidden=frozenset({key_of(call)}))
    url = reverse("shared:media", args=[hidden.token, call.public_id, 0])
    assert stranger.get(url).status_code == 404
    assert stranger.get(f"/results/{call.public_id}/0").status_code in (302, 404)


def delegated(owner: User) -> AConversation:
    """A call whose subagent has read a file; its question is the task that the model wrote."""
    conversation = AConversation(owner)
    turn = conversation.turn("Find it.")
    (task,) = turn.round("", (("task", {"description": "Look"}),))
    nested = AConversation(owner, parent_call=task)
    task.attributes["subagent"] = str(nested.row.public_id)
    task.save()
    inner = nested.turn("Look into the file.")
    (read,) = inner.round("I open it.", (("read_file", {"path": "a"}),))
    inner.end_call(read, f"Inside is {PLANTED}")
    turn.end_call(task, "Found.")
    turn.round("It is found.")
    return conversation


@pytest.mark.parametrize("is_snapshot", [True, False])
def test_what_a_subagent_did_is_shared_only_if_chosen(
    stranger: Client, owner: User, is_snapshot: bool
) -> None:
    row = delegated(owner).row
    without = ALL - {"with_subagents"}
    html = shown(stranger, share(row, is_snapshot=is_snapshot, parts=without))
    assert "Found." in html and "I open it." not in html and "is not shared" in html
    html = shown(stranger, share(row, is_snapshot=is_snapshot, parts=ALL))
    assert "I open it." in html and "Inside is [redacted" in html and PLANTED not in html
    call = Span.objects.get(name="read_file")
    hidden = frozenset({key_of(call)})
    html = shown(stranger, share(row, is_snapshot=is_snapshot, parts=ALL, hidden=hidden))
    assert "I open it." in html and "Inside is" not in html


def test_a_hidden_call_stays_hidden_when_its_span_is_removed(
    stranger: Client, conversation: AConversation
) -> None:
    hidden = frozenset({key_of(Span.objects.get(kind="tool"))})
    link = share(conversation.row, is_snapshot=False, hidden=hidden)
    assert "quokka.example" not in shown(stranger, link)
    Span.objects.all().delete()
    html = shown(stranger, link)
    assert "A marsupial" in html and "web_search" in html and "quokka.example" not in html
