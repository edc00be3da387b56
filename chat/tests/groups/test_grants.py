"""What is given to groups: who is offered it, and what a message with it is answered."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat import offering
from chat.agent import skill_choices
from chat.commands.comparisons import Compared
from chat.commands.fork import fork
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.models import Conversation, LanguageModel, Preset, Project, Skill, Turn
from chat.tests.builders import AConversation, a_model, a_user
from tools.models import Server

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server")]


@pytest.fixture
def outsider(db: None) -> User:
    return a_user("mallory")


@pytest.fixture
def anybodys(db: None) -> LanguageModel:
    """A model for everybody; the default is `given`."""
    return a_model("everybodys")


@pytest.fixture
def given(group: Group, anybodys: LanguageModel) -> LanguageModel:
    model = a_model("given", is_default=True)
    model.groups.add(group)
    return model


@pytest.fixture
def assistant(group: Group) -> Preset:
    preset = Preset.objects.create(name="Given", published=True, system_prompt="Be a quokka.")
    preset.groups.add(group)
    return preset


@pytest.fixture
def server(group: Group) -> Server:
    made = Server.objects.create(name="github", transport="http", url="https://mcp.example/mcp")
    made.groups.add(group)
    return made


def holder(*permissions: str) -> User:
    user = a_user("holder", is_staff=True)
    named = [one.partition(".")[2] for one in permissions]
    user.user_permissions.set(Permission.objects.filter(codename__in=named))
    return User.objects.get(pk=user.pk)


def send(user: User, conversation: Conversation | None = None, **fields: Any) -> Turn:
    within = conversation.public_id if conversation else None
    return send_message(user, NewMessage(str(uuid.uuid4()), "hello", within, **fields))


def names(rows: Any) -> set[str]:
    return {row.name for row in rows}


def test_a_model_is_for_the_members_of_its_groups(
    given: LanguageModel, owner: User, outsider: User
) -> None:
    models = LanguageModel.objects
    assert names(models.for_user(owner)) == names(models.choices(owner)) == {"given", "everybodys"}
    assert names(models.for_user(outsider)) == names(models.choices(outsider)) == {"everybodys"}
    assert models.offered_by_id(owner, given.public_id) == given
    assert models.offered_by_id(outsider, given.public_id) is None
    assert names(models.for_user(AnonymousUser())) == {"everybodys"}


def test_a_group_without_members_has_nobody_who_is_not_signed_in(given: LanguageModel) -> None:
    given.groups.set([Group.objects.create(name="Nobody yet")])
    assert names(LanguageModel.objects.for_user(AnonymousUser())) == {"everybodys"}
    assert names(LanguageModel.objects.choices(AnonymousUser())) == {"everybodys"}


@pytest.mark.usefixtures("given", "assistant", "server")
def test_who_may_change_a_kind_of_thing_sees_what_is_given_to_any_group() -> None:
    Skill.objects.create(name="tidy", source="/nowhere").groups.set(Group.objects.all())
    every = holder("chat.change_provider", "chat.change_preset", "tools.change_server")
    every.user_permissions.add(Permission.objects.get(codename="change_skill"))
    for user in (every, a_user("root", is_staff=True, is_superuser=True)):
        assert "given" in names(LanguageModel.objects.for_user(user))
        assert "given" in names(LanguageModel.objects.choices(user))
        assert "Given" in names(Preset.objects.for_user(user))
        assert "github" in names(Server.objects.for_user(user))
        assert names(Skill.objects.for_user(user)) == {"tidy"}
        assert names(Skill.objects.working_for(user)) == {"tidy"}
        assert not Preset.objects.withheld_from(user).exists()


@pytest.mark.usefixtures("given", "assistant", "server")
def test_staff_without_the_permission_see_what_everybody_sees() -> None:
    staff = a_user("staff", is_staff=True)
    assert names(LanguageModel.objects.choices(staff)) == {"everybodys"}
    assert "Given" not in names(Preset.objects.for_user(staff))
    assert not Server.objects.for_user(staff).exists()


def test_a_skill_is_offered_to_the_members_of_its_groups(
    owner: User, outsider: User, group: Group
) -> None:
    Skill.objects.create(name="tidy", source="/nowhere").groups.add(group)
    assert [one.skill.name for one in skill_choices.menu(None, owner)] == ["tidy"]
    assert skill_choices.menu(None, outsider) == []
    assert Skill.objects.working_for(outsider) == []
    assert names(Skill.objects.working_for(owner)) == {"tidy"}


def test_a_server_is_for_the_members_of_its_groups_and_for_chosen_people(
    server: Server, owner: User, outsider: User
) -> None:
    assert list(Server.objects.for_user(owner)) == [server]
    assert not Server.objects.for_user(outsider).exists()
    Server.objects.update(shared=Server.Shared.CHOSEN)
    server.shared_with.add(outsider)
    assert list(Server.objects.for_user(owner)) == list(Server.objects.for_user(outsider))


def test_the_default_model_of_who_is_not_given_it_is_another(
    given: LanguageModel, owner: User, outsider: User
) -> None:
    assert send(owner).model == given
    turn = send(outsider)
    assert turn.model is not None and turn.model.name == "everybodys"


def test_a_message_to_a_withheld_model_is_refused(given: LanguageModel, outsider: User) -> None:
    with pytest.raises(Rejected, match=r"This model is no longer available. Choose another one"):
        send(outsider, model_id=given.public_id)


def test_who_has_no_model_is_told_whom_to_ask(given: LanguageModel, outsider: User) -> None:
    LanguageModel.objects.exclude(pk=given.pk).delete()
    with pytest.raises(Rejected, match=r"There is no model that you may use. An admin can give"):
        send(outsider)


def test_a_message_goes_on_until_the_assistant_is_taken_away(
    assistant: Preset, anybodys: LanguageModel, owner: User, group: Group
) -> None:
    turn = send(owner, preset_id=assistant.public_id)
    send(owner, turn.conversation)
    group.user_set.remove(owner)
    with pytest.raises(Rejected, match=r"Choose another one in the menu of the conversation"):
        send(owner, turn.conversation)
    assert Turn.objects.open().filter(pk=turn.pk).exists()
    Conversation.objects.update(preset=None)
    assert send(owner, turn.conversation).is_open


def test_an_unpublished_assistant_still_answers_where_it_is(
    assistant: Preset, anybodys: LanguageModel, owner: User
) -> None:
    turn = send(owner, preset_id=assistant.public_id)
    Preset.objects.update(published=False)
    assert send(owner, turn.conversation).preset == assistant


def test_a_member_who_writes_in_a_shared_conversation_has_its_owners_assistant(
    assistant: Preset, to_write: AConversation, member: User, owner: User, group: Group
) -> None:
    Conversation.objects.update(preset=assistant)
    assistant.groups.set([Group.objects.create(name="Owners")])
    with pytest.raises(Rejected, match="assistant of this conversation is no longer available"):
        send(member, to_write.row)
    owner.groups.add(*assistant.groups.all())
    assert send(member, to_write.row).preset == assistant


def test_a_chosen_server_that_was_taken_away_is_named(
    server: Server, anybodys: LanguageModel, owner: User, group: Group
) -> None:
    choice: offering.Choice = {"servers": ["", "github"], "off": [], "on": []}
    turn = send(owner, tools=choice)
    assert send(owner, turn.conversation).is_open
    group.user_set.remove(owner)
    for message in ({"conversation": turn.conversation}, {"tools": choice}):
        with pytest.raises(Rejected, match="The server github is no longer available to you"):
            send(owner, **message)


def test_withheld_models_and_assistants_are_not_compared(
    given: LanguageModel, assistant: Preset, anybodys: LanguageModel, outsider: User
) -> None:
    beside = Compared(model_id=anybodys.public_id)
    for one in (Compared(model_id=given.public_id), Compared(preset_id=assistant.public_id)):
        with pytest.raises(Rejected, match="no longer"):
            send(outsider, compared=[beside, one])


def test_an_assistant_does_not_bring_a_model_that_is_withheld(
    given: LanguageModel, anybodys: LanguageModel, outsider: User
) -> None:
    preset = Preset.objects.create(name="Everybody's", published=True, model=given)
    assert send(outsider, preset_id=preset.public_id).model == anybodys


@pytest.mark.usefixtures("anybodys")
def test_a_project_does_not_bring_an_assistant_that_is_withheld(
    assistant: Preset, owner: User, group: Group
) -> None:
    project = Project.objects.create(owner=owner, name="Quokkas", preset=assistant)
    assert send(owner, project_id=project.public_id).preset == assistant
    group.user_set.remove(owner)
    assert send(owner, project_id=project.public_id).preset is None


def test_an_answer_is_not_tried_again_by_a_withheld_model(
    given: LanguageModel, owner: User, group: Group
) -> None:
    turn = send(owner)
    Turn.objects.update(status="failed", error="It broke.")
    group.user_set.remove(owner)
    with pytest.raises(Rejected, match=r"This model is no longer available"):
        send(owner, turn.conversation, model_id=given.public_id)


@pytest.mark.usefixtures("anybodys")
def test_a_fork_leaves_a_withheld_assistant_behind(
    assistant: Preset, owner: User, group: Group
) -> None:
    conversation = AConversation(owner, preset=assistant)
    turn = conversation.turn("Hello?", "Hi.", model=LanguageModel.objects.get())
    assert turn.row.trace is not None
    assert fork(owner, turn.row.trace, 1).conversation.preset == assistant
    group.user_set.remove(owner)
    assert fork(owner, turn.row.trace, 1).conversation.preset is None


def test_groups_cost_a_message_no_statement(
    given: LanguageModel, assistant: Preset, owner: User, outsider: User
) -> None:
    def statements(user: User, **fields: Any) -> int:
        send(user, **fields)
        with CaptureQueriesContext(connection) as queries:
            send(user, **fields)
        return len(queries)

    everybodys = LanguageModel.objects.get(name="everybodys")
    without = statements(outsider, model_id=everybodys.public_id)
    assert statements(owner, model_id=given.public_id) == without
