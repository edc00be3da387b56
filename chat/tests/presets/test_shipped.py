"""The assistants that ship: given once, then the deployment's own."""

import pytest

from chat import setup
from chat.cassettes import walkthrough
from chat.models import LanguageModel, Preset
from chat.presets import shipped
from chat.tests.builders import a_user
from tools import local

pytestmark = pytest.mark.django_db


def names() -> list[str]:
    return list(Preset.objects.filter(published=True).values_list("name", flat=True))


def test_two_are_published_at_the_first_start() -> None:
    shipped.ensure()
    assert names() == ["Coding assistant", "Database assistant"]


def test_what_an_admin_changed_or_deleted_stays_so() -> None:
    shipped.ensure()
    Preset.objects.filter(name="Database assistant").update(name="Data", system_prompt="Mine.")
    Preset.objects.filter(name="Coding assistant").delete()
    shipped.ensure()
    assert names() == ["Data"]
    assert Preset.objects.get().system_prompt == "Mine."


def test_a_name_that_is_taken_stays_its_owners() -> None:
    Preset.objects.create(name="Coding assistant", system_prompt="Ours.")
    shipped.ensure()
    assert Preset.objects.get(name="Coding assistant").system_prompt == "Ours."


def test_the_database_assistant_is_the_articles_and_asks_before_it_writes() -> None:
    shipped.ensure()
    made = Preset.objects.get(name="Database assistant")
    assert (made.system_prompt, made.tools) == (
        walkthrough.system_prompt(),
        walkthrough.tool_names(),
    )
    assert made.model is None
    assert made.policies[-1] == ["sqlite-*", "ask"]
    assert {name for name, policy in made.policies if policy == "allow"} <= set(made.tools)


def test_the_coding_assistant_names_tools_that_there_are() -> None:
    shipped.ensure()
    made = Preset.objects.get(name="Coding assistant")
    workspace = set(shipped.WORKSPACE)
    assert set(made.tools) - workspace <= {tool.name for tool in local.TOOLS}
    assert len(made.starters) == 4


def test_a_person_who_took_one_of_our_names_is_in_nobodys_way() -> None:
    person = a_user("ann")
    for name in ("Walkthrough", "Local model", "Coding assistant"):
        Preset.objects.create(owner=person, name=name, system_prompt="Mine.")
    setup.prepare()
    setup.prepare()
    model = LanguageModel.objects.select_related("preset").get(name=walkthrough.MODEL)
    assert model.preset is not None
    assert model.preset.system_prompt == walkthrough.system_prompt()
    assert Preset.objects.filter(owner=person, system_prompt="Mine.").count() == 3
