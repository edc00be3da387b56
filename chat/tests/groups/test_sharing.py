"""Sharing a conversation with a group, and what its members may do there."""

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from chat.commands import deletion, queue
from chat.commands.alternatives import Regenerate
from chat.commands.group_sharing import end, forget_ended, share
from chat.commands.stop import stop_turn
from chat.errors import Rejected
from chat.models import AccountDeletion, Conversation, ConversationShare, Preset, Project, Turn
from chat.own_data.deleting import delete_all
from chat.presentation.queue import foot
from chat.presentation.thread import thread
from chat.presentation.viewers import viewer_of
from chat.tests.builders import AConversation, a_user
from chat.tests.groups.conftest import Send
from db.fields import dump_json
from tests.signing_in import signed_in
from tools.tests.servers import rich
from tracing.models import Span
from tracing.store import payloads


def test_members_read_what_is_shared_and_nobody_else(to_read: AConversation, member: User) -> None:
    assert to_read.row in Conversation.objects.readable_by(member)
    assert to_read.row not in Conversation.objects.writable_by(member)
    assert to_read.row not in Conversation.objects.for_user(member)
    assert to_read.row not in Conversation.objects.readable_by(a_user("stranger"))


def test_members_see_what_tools_answered_beside_text(
    to_read: AConversation, owner: User, member: User
) -> None:
    trace = Turn.objects.get(conversation=to_read.row).trace
    assert trace is not None
    span = Span.objects.create(trace=trace, kind=Span.Kind.TOOL, name="picture")
    result = dump_json({"content": rich.RESULTS["picture"]["content"]}).encode()
    payloads.store_all(trace.archive, [(span, "result", result, {})])
    address = reverse("chat:result_media", args=[span.public_id, 1])
    for reader in (owner, member):
        assert signed_in(reader).get(address).content == rich.png()
    assert signed_in(a_user("stranger")).get(address).status_code == 404
    deletion.delete(owner, Turn.objects.get(conversation=to_read.row).public_id)
    assert signed_in(member).get(address).status_code == 404


def test_who_leaves_the_group_has_no_access_with_the_next_request(
    to_write: AConversation, member: User, group: Group
) -> None:
    browser = signed_in(member)
    assert browser.get(to_write.url).status_code == 200
    group.user_set.remove(member)
    assert browser.get(to_write.url).status_code == 404


def test_a_group_without_members_reaches_nobody(to_read: AConversation, group: Group) -> None:
    group.user_set.clear()
    assert signed_in(a_user("stranger")).get(to_read.url).status_code == 404


def test_a_person_shares_with_own_groups_only(conversation: AConversation, owner: User) -> None:
    other = Group.objects.create(name="Others")
    with pytest.raises(Rejected, match="not in this group"):
        share(owner, conversation.row, other.pk, to_write=False)


def test_the_share_ends(to_write: AConversation, member: User) -> None:
    end(to_write.row, ConversationShare.objects.get().public_id)
    assert not Conversation.objects.readable_by(member).exists()
    to_write.row.refresh_from_db()
    assert not to_write.row.is_shared_to_write


def test_a_deleted_group_leaves_the_conversation_to_its_owner(
    to_write: AConversation, group: Group
) -> None:
    group.delete()
    forget_ended()
    to_write.row.refresh_from_db()
    assert not to_write.row.is_shared_to_write


def test_a_conversation_of_a_project_is_shared_to_read_only(
    conversation: AConversation, owner: User, group: Group
) -> None:
    project = Project.objects.create(owner=owner, name="Private")
    Conversation.objects.filter(pk=conversation.row.pk).update(project=project)
    with pytest.raises(Rejected, match="in a project"):
        share(owner, conversation.row, group.pk, to_write=True)
    share(owner, conversation.row, group.pk, to_write=False)


def test_a_temporary_conversation_is_not_shared(owner: User, group: Group) -> None:
    fleeting = AConversation(owner, is_temporary=True)
    with pytest.raises(Rejected, match="temporary"):
        share(owner, fleeting.row, group.pk, to_write=False)


def test_what_was_allowed_before_others_wrote_is_asked_anew(
    conversation: AConversation, owner: User, group: Group
) -> None:
    Conversation.objects.update(granted=[{"tool": "walk", "hash": "x"}])
    share(owner, conversation.row, group.pk, to_write=True)
    conversation.row.refresh_from_db()
    assert conversation.row.granted == []


def test_a_message_of_a_member_is_the_owner_s_turn_with_an_author(
    to_write: AConversation, owner: User, member: User, send: Send
) -> None:
    turn = send(member, to_write)
    assert (turn.user_id, turn.author_id, turn.is_of_member) == (owner.pk, member.pk, True)
    assert turn.counted_user_id == member.pk
    assert turn.trace is not None and turn.trace.owner_id == owner.pk


def test_a_reader_cannot_write(to_read: AConversation, member: User, send: Send) -> None:
    with pytest.raises(Rejected, match="to read"):
        send(member, to_read)


def test_the_same_key_of_two_people_is_two_messages(
    to_write: AConversation, owner: User, member: User, send: Send
) -> None:
    turns = {send(user, to_write, key="k").pk for user in (owner, member, owner, member)}
    assert len(turns) == 2


def test_only_the_owner_chooses_the_assistant(
    to_write: AConversation, member: User, send: Send
) -> None:
    mine = Preset.objects.create(name="Mine", owner=member, system_prompt="Secret")
    answered = Turn.objects.get()
    again = Regenerate(answered.public_id)
    with pytest.raises(Rejected, match="Only the owner"):
        send(member, to_write, text="", alternative=again, preset_id=mine.public_id)
    assert send(member, to_write, text="", alternative=again).author == member


def test_a_member_changes_own_messages_in_line_only(
    to_write: AConversation, owner: User, member: User, send: Send
) -> None:
    send(owner, to_write)
    theirs, own = send(owner, to_write, "of the owner"), send(member, to_write, "of the member")
    queue.edit(member, own.public_id, "changed")
    for act in (
        lambda: queue.edit(member, theirs.public_id, "changed"),
        lambda: deletion.withdraw(member, theirs.public_id),
        lambda: queue.move(member, own.public_id, theirs.public_id),
        lambda: queue.send_now(member, own.public_id),
    ):
        with pytest.raises(Rejected):
            act()
    queue.edit(owner, own.public_id, "by the owner")
    deletion.withdraw(owner, theirs.public_id)
    deletion.withdraw(member, own.public_id)
    conversation = Conversation.objects.get(pk=to_write.row.pk)
    offered = {
        person: [one.turn for one in foot(conversation, viewer_of(person, conversation)).deleted]
        for person in (owner, member)
    }
    assert offered == {
        owner: [str(theirs.public_id), str(own.public_id)],
        member: [str(own.public_id)],
    }
    deletion.restore(member, own.public_id)


def test_a_note_does_not_go_into_the_turn_of_somebody_else(
    to_write: AConversation, owner: User, member: User, send: Send
) -> None:
    send(owner, to_write)
    note = send(member, to_write, is_note=True)
    assert note.steers_id is None and note.is_in_line


def test_a_member_stops_own_turns_only(
    to_write: AConversation, owner: User, member: User, send: Send
) -> None:
    turn = send(owner, to_write)
    assert not stop_turn(member, turn.public_id)
    assert stop_turn(owner, turn.public_id)


def test_a_member_deletes_nothing(to_write: AConversation, member: User) -> None:
    turn = Turn.objects.get()
    response = signed_in(member).post(f"/turns/{turn.public_id}/delete")
    assert response.status_code == 404


def test_others_see_who_wrote(
    to_write: AConversation, owner: User, member: User, send: Send
) -> None:
    send(member, to_write)

    def names(user: User) -> list[str]:
        viewer = viewer_of(user, to_write.row)
        return [view.author for view in thread(to_write.row, viewer=viewer).turns]

    assert names(owner) == ["", "bob"]
    assert names(member) == ["owner", ""]


def test_the_line_says_who_wrote(
    to_write: AConversation, owner: User, member: User, send: Send
) -> None:
    send(owner, to_write)
    send(member, to_write)
    (one,) = foot(to_write.row, viewer_of(owner, to_write.row)).queue
    assert (one.author, one.can_change) == ("bob", True)
    (one,) = foot(to_write.row, viewer_of(a_user("eve"), to_write.row)).queue
    assert (one.author, one.can_change) == ("bob", False)


def test_a_member_s_account_goes_and_the_messages_stay_without_a_name(
    to_write: AConversation, owner: User, member: User, send: Send
) -> None:
    turn = send(member, to_write)
    delete_all(member, AccountDeletion.objects.create())
    turn.refresh_from_db()
    assert (turn.author, turn.is_of_member) == (None, True)
    viewer = viewer_of(owner, to_write.row)
    assert thread(to_write.row, viewer=viewer).turns[-1].author == "Former member"


def test_no_trace_is_shown_to_members(to_write: AConversation, owner: User, member: User) -> None:
    trace = Turn.objects.get().trace
    assert trace is not None
    assert trace.get_absolute_url() in signed_in(owner).get(to_write.url).content.decode()
    assert trace.get_absolute_url() not in signed_in(member).get(to_write.url).content.decode()
    assert signed_in(member).get(trace.get_absolute_url()).status_code == 404


def test_the_sidebar_has_what_others_share_with_their_name(
    to_read: AConversation, member: User
) -> None:
    Conversation.objects.update(pinned=to_read.row.created)
    html = signed_in(member).get("/").content.decode()
    assert "Shared with me" in html and "How quokkas live" in html and "owner" in html
    assert "Pinned" not in html


def test_an_own_conversation_is_in_no_section_of_shared_ones(
    to_read: AConversation, owner: User
) -> None:
    assert "Shared with me" not in signed_in(owner).get(to_read.url).content.decode()


def test_the_panel_shares_and_ends(conversation: AConversation, owner: User, group: Group) -> None:
    browser, address = signed_in(owner), f"{conversation.url}groups"
    assert "bob" in browser.get(address).content.decode()
    assert browser.post(address, {"group": group.pk, "write": "1"}).status_code == 200
    (made,) = ConversationShare.objects.all()
    assert made.may_write
    assert browser.post(address, {"end": made.public_id}).status_code == 200
    assert browser.post(address, {"group": "x"}).status_code == 422
    assert not ConversationShare.objects.exists()
