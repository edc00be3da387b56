"""The pages on which admins say for which groups something is."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from audit.models import Action, Event
from chat.models import LanguageModel, Preset, Skill
from chat.tests.builders import a_model, a_user
from tests.signing_in import signed_in
from tools.models import Server

pytestmark = pytest.mark.django_db
NAMED = {"name": "github", "transport": "http", "url": "https://mcp.example/mcp"}
HTTP = {**NAMED, "timeout_s": "60", "mode": "auto", "policy": "ask"}


@pytest.fixture
def group(db: None) -> Group:
    return Group.objects.create(name="Quokkas")


@pytest.fixture
def admin(db: None) -> User:
    return a_user("root", is_staff=True, is_superuser=True)


@pytest.fixture
def browser(admin: User) -> Client:
    return signed_in(admin)


def posted_model(model: LanguageModel, **more: Any) -> dict[str, Any]:
    return {"name": model.name, "dialect": "native", "returns_reasoning": "never", **more}


def test_a_model_is_given_and_the_log_says_so(browser: Client, group: Group) -> None:
    model = a_model()
    address = reverse("providers:edit_model", args=[model.public_id])
    page = browser.get(address).content.decode()
    assert "<legend>For</legend>" in page and "Quokkas" in page
    chosen = posted_model(model, groups_shown="True", groups=group.pk)
    assert browser.post(address, chosen).status_code == 302
    assert list(model.groups.all()) == [group]
    event = Event.objects.get(action=Action.GIVEN)
    assert (event.actor_name, event.target_name) == ("root", "walkthrough")
    assert event.detail == {"groups": ["Quokkas"], "before": []}
    assert "badge-group" in browser.get(reverse("providers:index")).content.decode()


def test_a_request_that_does_not_show_the_groups_changes_none(
    browser: Client, group: Group
) -> None:
    model = a_model()
    model.groups.add(group)
    address = reverse("providers:edit_model", args=[model.public_id])
    assert browser.post(address, posted_model(model)).status_code == 302
    assert model.groups.count() == 1
    assert browser.post(address, posted_model(model, groups_shown="True")).status_code == 302
    assert model.groups.count() == 0


def test_without_any_group_no_form_asks_for_one(browser: Client) -> None:
    address = reverse("providers:edit_model", args=[a_model().public_id])
    assert "<legend>For</legend>" not in browser.get(address).content.decode()


def test_an_assistant_of_the_deployment_is_given_and_ones_own_is_not(
    browser: Client, admin: User, group: Group
) -> None:
    published = Preset.objects.create(name="Given", published=True)
    own = Preset.objects.create(name="Mine", owner=admin)
    for preset, count in ((published, 1), (own, 0)):
        address = reverse("assistants:edit", args=[preset.public_id])
        form = browser.get(address).context["form"]
        fields = {
            bound.html_name: bound.value()
            for bound in form
            if bound.value() is not None and bound.name not in ("policies", "starters")
        }
        limits = {bound.html_name: "" for bound in form.limits}
        given = {"groups_shown": "True", "groups": group.pk}
        assert browser.post(address, {**fields, **limits, **given}).status_code == 302
        assert preset.groups.count() == count


def test_a_server_is_given_to_groups_and_to_everybody_again(browser: Client, group: Group) -> None:
    chosen = {**HTTP, "shared": "chosen", "groups": group.pk}
    assert browser.post(reverse("tools:register"), chosen).status_code == 302
    server = Server.objects.get()
    assert list(server.groups.all()) == [group]
    assert "badge-group" in browser.get(reverse("tools:servers")).content.decode()
    edit = reverse("tools:edit", args=[server.public_id])
    assert browser.post(edit, {**chosen, "shared": "everyone"}).status_code == 302
    assert not server.groups.exists()
    assert Event.objects.filter(action=Action.GIVEN).count() == 2


def test_a_server_for_everyone_that_a_group_has_shows_as_one_for_chosen(
    browser: Client, group: Group
) -> None:
    server = Server.objects.create(name="github", transport="http", url="https://mcp.example/mcp")
    server.groups.add(group)
    form = browser.get(reverse("tools:edit", args=[server.public_id])).context["form"]
    assert form["shared"].value() == "chosen"


def test_a_skill_is_given(browser: Client, group: Group) -> None:
    skill = Skill.objects.create(name="tidy", source="/nowhere")
    address = reverse("skills:give", args=[skill.public_id])
    given = {"groups_shown": "True", "groups": group.pk}
    assert browser.post(address, given).status_code == 302
    assert list(skill.groups.all()) == [group]
    browser.post(address, {**given, "groups": 10**6})
    assert list(skill.groups.all()) == [group]


def test_who_may_not_change_assistants_sees_no_names_of_groups(group: Group) -> None:
    member = a_user("bob")
    group.user_set.add(member)
    Preset.objects.create(name="Given", published=True).groups.add(group)
    client = signed_in(member)
    page = client.get(reverse("assistants:index")).content.decode()
    assert "Given" in page and "Quokkas" not in page
