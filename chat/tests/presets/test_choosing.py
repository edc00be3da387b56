"""The preset of a conversation: chosen at the start, changed later, gone meanwhile."""

import json
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User

from benchmarks.stub import Stub
from chat.commands import conversations
from chat.commands.fork import fork
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.events import log
from chat.models import Conversation, LanguageModel, Message, Preset, Turn
from chat.presentation.thread import thread
from chat.tests.engine.conftest import answer_rings, model, owner, protocol, stub

__all__ = ["model", "owner", "protocol", "stub"]


@pytest.fixture
def talker(model: Any) -> LanguageModel:
    made: LanguageModel = model("stub-n5")
    made.preset = Preset.objects.create(name="The model's", system_prompt="Be exact.")
    made.save()
    return made


def a_preset(prompt: str, owner: User | None = None, **fields: Any) -> Preset:
    fields = {"name": prompt or "nothing", "published": owner is None, **fields}
    return Preset.objects.create(system_prompt=prompt, owner=owner, **fields)


def ask(
    user: User, model: LanguageModel, preset: Preset | None = None, to: Conversation | None = None
) -> Turn:
    turn = send_message(
        user,
        NewMessage(
            key=str(uuid.uuid4()),
            text="hello",
            model_id=model.public_id,
            conversation_id=to.public_id if to else None,
            preset_id=preset.public_id if preset else None,
        ),
    )
    return answer_rings(turn)


def read(stub: Stub) -> list[str]:
    """Roles of what the model read last, the system prompt in its own words."""
    messages = json.loads(stub.completions[-1].body)["messages"]
    return [one["content"] if one["role"] == "system" else one["role"] for one in messages]


def test_the_chosen_presets_prompt_is_what_the_model_reads(
    owner: User, talker: LanguageModel, stub: Stub
) -> None:
    turn = ask(owner, talker, a_preset("Be kind."))
    assert read(stub) == ["Be kind.", "user"]
    assert turn.trace is not None
    assert turn.trace.attributes["preset"] == "Be kind."


def test_without_a_choice_the_models_preset_counts(
    owner: User, talker: LanguageModel, stub: Stub
) -> None:
    turn = ask(owner, talker)
    assert read(stub) == ["Be exact.", "user"]
    assert turn.conversation.preset is None


def test_a_preset_without_a_prompt_sends_none(
    owner: User, talker: LanguageModel, stub: Stub
) -> None:
    ask(owner, talker, a_preset(""))
    assert read(stub) == ["user"]


def test_a_preset_names_the_model_where_nobody_else_does(owner: User, model: Any) -> None:
    model("stub-n1")
    chosen = a_preset("Be kind.", model=model("stub-n2"))
    turn = send_message(owner, NewMessage(key="k", text="hello", preset_id=chosen.public_id))
    assert turn.model == chosen.model


def test_another_preset_counts_from_the_next_turn_on(
    owner: User, talker: LanguageModel, stub: Stub
) -> None:
    turn = ask(owner, talker, a_preset("Be kind."))
    conversations.choose_preset(turn.conversation, a_preset("Be short."))
    ask(owner, talker, to=turn.conversation)
    assert read(stub) == ["Be short.", "user", "assistant", "user"]
    conversations.choose_preset(turn.conversation, None)
    ask(owner, talker, to=turn.conversation)
    assert read(stub) == ["Be exact.", "user", "assistant", "user", "assistant", "user"]


def test_pages_are_told_of_another_preset(
    owner: User, talker: LanguageModel, redis_server: object
) -> None:
    turn = ask(owner, talker, a_preset("Be kind."))
    conversations.choose_preset(turn.conversation, a_preset("Be short.", name="简短"))
    conversations.choose_preset(turn.conversation, None)
    entries: Any = log.client().xrange(log.log_key(turn.conversation.public_id))
    events = [json.loads(fields[b"e"]) for _, fields in entries]
    assert [one["name"] for one in events if one["type"] == "assistant"] == ["简短", ""]


def test_the_first_question_after_another_prompt_is_marked(
    owner: User, talker: LanguageModel
) -> None:
    turn = ask(owner, talker, a_preset("Be kind."))
    ask(owner, talker, to=turn.conversation)
    conversations.choose_preset(turn.conversation, a_preset("Be short."))
    for _ in range(2):
        ask(owner, talker, to=turn.conversation)
    marked = [view.changes_prompt for view in thread(turn.conversation).turns]
    assert marked == [False, False, True, False]


def test_stored_messages_stay_when_another_preset_is_chosen(
    owner: User, talker: LanguageModel
) -> None:
    turn = ask(owner, talker, a_preset("Be kind."))
    before = list(Message.objects.order_by("pk").values_list("pk", "parent", "body"))
    conversations.choose_preset(turn.conversation, a_preset("Be short."))
    after = list(Message.objects.order_by("pk").values_list("pk", "parent", "body"))
    assert after[:-1] == before
    assert after[-1][1:] == (before[-1][0], {"role": "system", "content": "Be short."})


def test_the_same_prompt_is_not_stored_again(owner: User, talker: LanguageModel) -> None:
    turn = ask(owner, talker, a_preset("Be kind."))
    count = Message.objects.count()
    conversations.choose_preset(turn.conversation, a_preset("Be kind.", name="Its twin"))
    assert Message.objects.count() == count


def test_an_empty_prompt_takes_the_earlier_one_away(
    owner: User, talker: LanguageModel, stub: Stub
) -> None:
    turn = ask(owner, talker, a_preset("Be kind."))
    conversations.choose_preset(turn.conversation, a_preset(""))
    ask(owner, talker, to=turn.conversation)
    assert read(stub) == ["user", "assistant", "user"]


def test_while_an_answer_is_written_no_other_preset_is_chosen(
    owner: User, talker: LanguageModel
) -> None:
    turn = send_message(owner, NewMessage(key="k", text="hello", model_id=talker.public_id))
    with pytest.raises(Rejected, match="when it is complete"):
        conversations.choose_preset(turn.conversation, a_preset("Be short."))
    turn.conversation.refresh_from_db()
    assert turn.conversation.preset is None


def test_an_edited_preset_keeps_its_prompt_where_it_has_begun(
    owner: User, talker: LanguageModel, stub: Stub
) -> None:
    chosen = a_preset("Be kind.")
    turn = ask(owner, talker, chosen)
    Preset.objects.filter(pk=chosen.pk).update(system_prompt="Be short.")
    ask(owner, talker, to=turn.conversation)
    assert read(stub)[0] == "Be kind."
    turn.conversation.refresh_from_db()
    conversations.choose_preset(turn.conversation, Preset.objects.get(pk=chosen.pk))
    ask(owner, talker, to=turn.conversation)
    assert read(stub)[0] == "Be short."


def test_a_conversation_goes_on_when_its_preset_is_unpublished_or_deleted(
    owner: User, talker: LanguageModel, stub: Stub
) -> None:
    chosen = a_preset("Be kind.")
    turn = ask(owner, talker, chosen)
    Preset.objects.filter(pk=chosen.pk).update(published=False)
    turn.conversation.refresh_from_db()
    assert turn.conversation.preset == chosen
    chosen.delete()
    assert ask(owner, talker, to=turn.conversation).status == "done"
    assert read(stub)[0] == "Be kind."
    turn.conversation.refresh_from_db()
    assert turn.conversation.preset_with(talker) == talker.preset


@pytest.mark.parametrize("whose", ["another's", "unpublished", "nobody's"])
def test_a_preset_that_one_may_not_choose_is_refused(
    owner: User, talker: LanguageModel, whose: str
) -> None:
    other = User.objects.create_user("other")
    made = {
        "another's": a_preset("Be mine.", other, published=True),
        "unpublished": a_preset("Be secret.", published=False),
        "nobody's": Preset(),
    }
    with pytest.raises(Rejected, match="This assistant no longer exists"):
        ask(owner, talker, made[whose])
    assert not Conversation.objects.exists()


def test_a_fork_keeps_the_prompt_that_its_turn_had(
    owner: User, talker: LanguageModel, stub: Stub
) -> None:
    first = ask(owner, talker, a_preset("Be kind."))
    chosen = a_preset("Be short.", owner)
    conversations.choose_preset(first.conversation, chosen)
    second = ask(owner, talker, to=first.conversation)
    for turn, prompt in ((first, "Be kind."), (second, "Be short.")):
        assert turn.trace is not None
        made = fork(owner, turn.trace, 1).conversation
        assert made.preset == chosen
        ask(owner, talker, to=made)
        assert read(stub)[0] == prompt


def test_anothers_fork_has_not_a_preset_that_is_a_persons_own(
    owner: User, talker: LanguageModel
) -> None:
    turn = ask(owner, talker, a_preset("Be mine.", owner))
    assert turn.trace is not None
    admin = User.objects.create_user("admin", is_staff=True, is_superuser=True)
    assert fork(admin, turn.trace, 1).conversation.preset is None
