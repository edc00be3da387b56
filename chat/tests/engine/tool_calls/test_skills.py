"""Skills in a conversation: what the model is told of them, and what loading one brings."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chat.agent import loaded_skills, skill_folders
from chat.agent.compaction import PathMessage
from chat.agent.system_prompt import with_additions
from chat.models import LanguageModel, Message, Preset, Skill, Turn
from chat.tests.engine.conftest import answer_rings
from tracing.models import Payload, Span
from tracing.store import payloads

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]

PROMPT = "You are an agent."


@pytest.fixture
def own(settings: Any, tmp_path: Path, transactional_db: None) -> Path:
    """A folder with two skills, beside the one that ships."""
    settings.HOME, settings.SKILLS_DIR = tmp_path / "home", str(tmp_path / "own")
    for name in ("report", "sums"):
        folder = tmp_path / "own" / name
        (folder / "references").mkdir(parents=True)
        head = f"name: {name}\ndescription: How to do {name}."
        (folder / "SKILL.md").write_text(f"---\n{head}\n---\nDo {name}: <b>carefully</b>.")
        (folder / "references" / "style.md").write_text("Short sentences.")
    skill_folders.refresh()
    return tmp_path / "own"


@pytest.fixture
def agent(model: Model, own: Path) -> LanguageModel:
    made = model("stub-r0-ask-n5")
    tools = ["load_skill", "calculate"]
    made.preset = Preset.objects.create(name="Agent", tools=tools, system_prompt=PROMPT)
    made.save()
    return made


def load(name: str) -> str:
    return f"call load_skill {json.dumps({'name': name})}"


def read(turn: Turn, stage: Payload.Stage) -> list[Any]:
    found = Payload.objects.filter(span__trace=turn.trace_id, stage=stage).order_by("pk")
    return [payloads.read_json(one) for one in found.select_related("span__trace")]


def system(turn: Turn) -> str:
    """The system prompt of the latest request, as it was sent."""
    first = read(turn, Payload.Stage.REQUEST)[-1]["messages"][0]
    return str(first["content"]) if first["role"] == "system" else ""


def results(turn: Turn) -> list[str]:
    told = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in told]


def test_names_and_descriptions_stand_in_the_system_prompt(
    agent: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(agent))
    beginning, _, listed = system(turn).partition("\n\nSkills available:\n")
    assert beginning == PROMPT
    assert listed.splitlines()[1:] == [
        "- report: How to do report.",
        "- sums: How to do sums.",
    ]


def test_the_stored_message_stays_and_the_trace_says_whose_words_they_are(
    agent: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(agent))
    stored = Message.objects.get(conversation=turn.conversation, role=Message.Role.SYSTEM)
    assert stored.body == {"role": "system", "content": PROMPT}
    meant = read(turn, Payload.Stage.INPUT)[0]["messages"][0]
    assert meant["content"] == f"{PROMPT}\n\n{meant['skills']}" == system(turn)


def test_the_prompt_is_the_same_in_every_round(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, load("sums")))
    first, second = (sent["messages"][0] for sent in read(turn, Payload.Stage.REQUEST))
    assert first == second


def test_without_a_system_prompt_the_skills_are_one(agent: LanguageModel, send: Send) -> None:
    Preset.objects.update(system_prompt="")
    assert system(answer_rings(send(agent))).startswith("Skills available:\n- hello-world: ")


def test_a_recorded_prompt_that_has_them_is_left_as_it_is() -> None:
    recorded = PathMessage(1, {"role": "system", "content": "Prompt\n\nold", "skills": "old"})
    assert with_additions([recorded], {"skills": "new"}) == [recorded]


def test_who_cannot_load_a_skill_is_told_of_none(agent: LanguageModel, send: Send) -> None:
    Preset.objects.update(tools=["calculate"])
    turn = answer_rings(send(agent))
    assert system(turn) == PROMPT
    assert "skills" not in read(turn, Payload.Stage.INPUT)[0]["messages"][0]


def test_without_skills_nothing_is_added(agent: LanguageModel, send: Send) -> None:
    Skill.objects.update(enabled=False)
    assert system(answer_rings(send(agent))) == PROMPT


def test_a_skill_is_loaded_as_it_is_written(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, load("sums")))
    assert results(turn) == ['<skill name="sums">\nDo sums: <b>carefully</b>.\n</skill>']
    span = Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL)
    assert (span.attributes["skill"], span.status) == ("sums", Span.Status.SUCCEEDED)


def test_loading_reads_the_file_anew(agent: LanguageModel, send: Send, own: Path) -> None:
    (own / "sums" / "SKILL.md").write_text("---\nname: sums\ndescription: d\n---\nNew words.")
    turn = answer_rings(send(agent, load("sums")))
    assert "New words." in results(turn)[0]


def test_an_unknown_skill_is_an_error_that_names_the_known_ones(
    agent: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(agent, load("nothing")))
    assert results(turn) == [
        "Error: unknown skill 'nothing'. Available: hello-world, report, sums."
    ]
    assert Span.objects.get(trace=turn.trace, kind=Span.Kind.TOOL).status == Span.Status.FAILED


def test_a_skill_whose_folder_is_gone_is_an_error(
    agent: LanguageModel, send: Send, own: Path
) -> None:
    (own / "sums").rename(own.parent / "elsewhere")
    told = results(answer_rings(send(agent, load("sums"))))[0]
    assert told.startswith("Error: the skill sums cannot be loaded. SKILL.md cannot be read: ")


@pytest.mark.parametrize("change", [{"enabled": False}, {"problem": "broken"}])
def test_what_is_off_or_broken_is_not_offered(
    agent: LanguageModel, send: Send, change: dict[str, Any]
) -> None:
    Skill.objects.filter(name="sums").update(**change)
    turn = answer_rings(send(agent, load("sums")))
    assert "sums" not in system(turn)
    assert "Available: hello-world, report." in results(turn)[0]


def test_a_preset_chooses_by_pattern(agent: LanguageModel, send: Send) -> None:
    Preset.objects.update(skills=["re*"])
    turn = answer_rings(send(agent))
    assert "report" in system(turn) and "sums" not in system(turn)


def test_a_conversation_s_choice_counts_before_its_preset_s(
    agent: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(agent))
    turn.conversation.skills = ["sums"]
    turn.conversation.save(update_fields=["skills"])
    again = answer_rings(send(agent, "again", turn.conversation))
    assert "sums" in system(again) and "report" not in system(again)


def test_a_subagent_has_the_skills_of_its_parent(agent: LanguageModel, send: Send) -> None:
    Preset.objects.update(tools=["load_skill", "task"])
    turn = send(agent, f"call task {json.dumps({'prompt': load('sums')})}")
    turn.conversation.skills = ["sums"]
    turn.conversation.save(update_fields=["skills"])
    answer_rings(turn)
    inner = answer_rings(Turn.objects.get(conversation__parent_call__trace=turn.trace_id))
    assert "sums" in system(inner) and "report" not in system(inner)


def test_only_a_loaded_skill_s_folder_is_seen(agent: LanguageModel, send: Send, own: Path) -> None:
    turn = answer_rings(send(agent, f"{load('sums')}\n{load('nothing')}"))
    (folder,) = loaded_skills.folders(turn.conversation, agent, turn.user)
    assert (folder.path, folder.inside, folder.writable) == (own / "sums", "/skills/sums", False)


def test_what_was_loaded_is_known_when_the_spans_are_gone(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, load("sums")))
    Span.objects.filter(trace=turn.trace, parent__isnull=False).delete()
    assert loaded_skills.loaded(turn.conversation) == {"sums"}


def test_a_subagent_sees_what_its_parent_had_loaded(agent: LanguageModel, send: Send) -> None:
    Preset.objects.update(tools=["load_skill", "task"])
    asked = f"{load('sums')}\nthen\ncall task {json.dumps({'prompt': 'hello'})}"
    turn = answer_rings(send(agent, asked))
    inner = Turn.objects.get(conversation__parent_call__trace=turn.trace_id)
    assert [one.inside for one in loaded_skills.folders(inner.conversation, agent, inner.user)] == [
        "/skills/sums"
    ]


def test_a_skill_that_is_switched_off_is_not_seen_any_more(
    agent: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(agent, load("sums")))
    Skill.objects.update(enabled=False)
    assert loaded_skills.folders(turn.conversation, agent, turn.user) == []
