"""The pages of assistants: who sees and changes what, and what is typed stays."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Preset
from chat.tests.builders import AConversation, a_model, a_user

pytestmark = pytest.mark.django_db

TYPED = {
    "name": "Helper",
    "description": "Helps.",
    "system_prompt": "Be kind.\nAlways.",
    "tools_mode": "chosen",
    "tools_chosen": ["calculate", "todo"],
    "tools_patterns": "sqlite-*\ncalculate",
    "servers_mode": "all",
    "skills_mode": "chosen",
    "skills_patterns": "writing-*",
    "policies-pattern": ["sqlite-*", "", "calc*"],
    "policies-needs": ["ask", "deny", "allow"],
    "starters": "One\n\n  二  \n",
    "limit_subagent_rounds": "12",
    "limit_micro_share": "0.4",
}


@pytest.fixture
def person(client: Client) -> User:
    user = a_user("ann")
    client.force_login(user)
    return user


@pytest.fixture
def admin(client: Client) -> User:
    user = a_user("root", is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


def url(preset: Preset, rest: str = "") -> str:
    return f"/assistants/{preset.public_id}/{rest}"


def published(name: str = "Public", **fields: Any) -> Preset:
    return Preset.objects.create(name=name, published=True, **fields)


def test_what_is_typed_is_what_is_kept(client: Client, person: User) -> None:
    client.post("/assistants/new", TYPED)
    made = Preset.objects.get()
    assert (made.owner, made.published, made.name) == (person, False, "Helper")
    assert made.system_prompt == "Be kind.\nAlways."
    assert made.tools == ["calculate", "todo", "sqlite-*"]
    assert (made.servers, made.skills) == (None, ["writing-*"])
    assert made.policies == [["sqlite-*", "ask"], ["calc*", "allow"]]
    assert made.starters == ["One", "二"]
    assert made.limits == {"subagent_rounds": 12, "micro_share": 0.4}


def test_an_edited_form_begins_with_what_is_stored_and_changes_nothing(
    client: Client, person: User
) -> None:
    client.post("/assistants/new", TYPED)
    made = Preset.objects.get()
    before = Preset.objects.values().get()
    form = client.get(url(made, "edit")).context["form"]
    values = {name: form[name].value() for name in form.fields}
    sent = {name: "" if value is None else value for name, value in values.items()}
    sent |= {f"limit_{name}": str(value) for name, value in made.limits.items()}
    rows = form.policy_rows
    sent |= {"policies-pattern": [row[0] for row in rows], "policies-needs": [r[1] for r in rows]}
    answer = client.post(url(made, "edit"), sent)
    assert answer.status_code == 302, answer.context["form"].errors
    assert Preset.objects.values().get() == before


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("name", "", "This field is required"),
        ("name", "Taken", "An assistant with this name already exists"),
        ("limit_subagent_rounds", "0", "out of bounds: 1 to 1,000 rounds"),
        ("limit_subagent_rounds", "31", "30 is the limit here"),
        ("limit_rounds", "many", "Write a number"),
        ("limit_micro_share", "1.5", "out of bounds"),
        ("policies-needs", ["maybe", "ask", "ask"], "Choose allow, ask or deny"),
        ("starters", "x\n" * 13, "the limit is 12"),
        ("description", "x" * 301, "at most 300"),
        ("tools_chosen", ["no-such"], "no-such is not one of the available choices"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_typed_is_lost(
    client: Client, person: User, name: str, value: Any, sentence: str
) -> None:
    Preset.objects.create(owner=person, name="Taken")
    answer = client.post("/assistants/new", {**TYPED, name: value})
    page = answer.content.decode()
    assert (answer.status_code, Preset.objects.count()) == (422, 1)
    assert sentence in page
    assert "Be kind.\nAlways." in page
    assert 'value="sqlite-*"' in page
    assert ("writing-*" in page, "二" in page or name == "starters") == (True, True)


def test_an_admins_own_assistant_may_have_a_higher_ceiling_once_it_is_published(
    client: Client, admin: User
) -> None:
    made = published()
    answer = client.post(url(made, "edit"), {**TYPED, "limit_rounds": "200"})
    assert answer.status_code == 302
    assert Preset.objects.get().limits["rounds"] == 200


def test_people_see_their_own_and_what_is_published(client: Client, person: User) -> None:
    Preset.objects.create(owner=person, name="Mine")
    Preset.objects.create(owner=a_user("bob"), name="Bobs")
    Preset.objects.create(name="Hidden")
    published("Public")
    page = client.get("/assistants/").content.decode()
    assert [name in page for name in ("Mine", "Public", "Bobs", "Hidden")] == [
        True,
        True,
        False,
        False,
    ]


def test_admins_see_all_of_the_deployments_and_nobody_elses(client: Client, admin: User) -> None:
    Preset.objects.create(owner=a_user("bob"), name="Bobs")
    Preset.objects.create(name="Hidden")
    page = client.get("/assistants/").content.decode()
    assert ("Hidden" in page, "Bobs" in page) == (True, False)


@pytest.mark.parametrize("rest", ["", "edit", "export"])
def test_anothers_assistant_is_not_there(client: Client, admin: User, rest: str) -> None:
    theirs = Preset.objects.create(owner=a_user("bob"), name="Bobs")
    assert client.get(url(theirs, rest)).status_code == 404


@pytest.mark.parametrize("rest", ["edit", "duplicate", "publish", "delete"])
def test_anothers_assistant_cannot_be_touched(client: Client, admin: User, rest: str) -> None:
    theirs = Preset.objects.create(owner=a_user("bob"), name="Bobs")
    assert client.post(url(theirs, rest), TYPED).status_code == 404
    assert Preset.objects.get().name == "Bobs"


@pytest.mark.parametrize("rest", ["edit", "delete"])
def test_people_do_not_change_what_is_published(client: Client, person: User, rest: str) -> None:
    assert client.post(url(published(), rest), TYPED).status_code == 404
    assert client.get(url(Preset.objects.get())).status_code == 200


def test_people_do_not_publish(client: Client, person: User) -> None:
    mine = Preset.objects.create(owner=person, name="Mine")
    assert client.post(url(mine, "publish")).status_code == 403
    mine.refresh_from_db()
    assert not mine.published


def test_an_admin_publishes_and_takes_back(client: Client, admin: User) -> None:
    mine = Preset.objects.create(owner=admin, name="Mine")
    client.post(url(mine, "publish"))
    mine.refresh_from_db()
    assert (mine.owner, mine.published) == (None, True)
    client.post(url(mine, "publish"), {"published": "no"})
    mine.refresh_from_db()
    assert (mine.owner, mine.published) == (None, False)


def test_what_cannot_be_copied_is_told(client: Client, person: User) -> None:
    made = published("Wordy", starters=["x"] * 13)
    page = client.post(url(made, "duplicate"), follow=True).content.decode()
    assert "Wordy cannot be copied. starters: These are 13 lines; the limit is 12." in page


def test_of_two_with_one_name_only_one_is_published(client: Client, admin: User) -> None:
    published("Twin")
    mine = Preset.objects.create(owner=admin, name="Twin")
    page = client.post(url(mine, "publish"), follow=True).content.decode()
    assert "There is a published assistant called Twin" in page
    mine.refresh_from_db()
    assert mine.owner == admin


def test_a_copy_is_ones_own_and_changes_nothing_else(client: Client, person: User) -> None:
    model = a_model("gpt")
    published("Public", model=model, tools=["a-*"], limits={"rounds": 20}, starters=["Hi"])
    client.post(url(Preset.objects.get(name="Public"), "duplicate"))
    copied = Preset.objects.get(owner=person)
    assert (copied.name, copied.model, copied.tools) == ("Public", model, ["a-*"])
    assert (copied.limits, copied.starters, copied.published) == ({"rounds": 20}, ["Hi"], False)


def test_a_deleted_assistant_leaves_its_conversations(client: Client, person: User) -> None:
    mine = Preset.objects.create(owner=person, name="Mine")
    conversation = AConversation(person, preset=mine)
    page = client.get(url(mine)).content.decode()
    assert "1 conversation has it and goes on" in page
    client.post(url(mine, "delete"))
    conversation.row.refresh_from_db()
    assert conversation.row.preset is None


def test_tools_that_are_off_are_told(client: Client, admin: User) -> None:
    made = published(tools=["calculate", "nowhere-read", "sqlite-*"])
    page = client.get(url(made)).content.decode()
    assert "of its tools are unavailable" in page
    assert "<code>nowhere-read</code>" in page.partition("of its tools are unavailable")[2][:200]


@pytest.mark.parametrize("path", ["", "new", "import"])
def test_strangers_are_asked_to_sign_in(client: Client, path: str) -> None:
    answer = client.get(f"/assistants/{path}")
    assert answer.status_code == 302
    assert "/accounts/login/" in answer["Location"]


def test_a_list_asks_the_database_a_constant_number_of_times(
    client: Client, admin: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        published(f"No. {number}")
    with django_assert_max_num_queries(5):
        client.get("/assistants/")


def test_a_model_begins_with_none_that_a_person_owns(client: Client, admin: User) -> None:
    Preset.objects.create(owner=a_user("bob"), name="Bobs")
    model = a_model("gpt")
    for url in (
        f"/providers/models/{model.public_id}/edit",
        f"/admin/chat/languagemodel/{model.pk}/change/",
    ):
        User.objects.filter(pk=admin.pk).update(is_superuser=True)
        page = client.get(url).content.decode()
        assert ("Preset of gpt" in page, "Bobs" in page) == (True, False), url


def test_the_admins_list_has_nobody_elses(client: Client, admin: User) -> None:
    User.objects.filter(pk=admin.pk).update(is_superuser=True)
    Preset.objects.create(owner=a_user("bob"), name="Bobs")
    published("Public")
    page = client.get("/admin/chat/preset/").content.decode()
    assert ("Public" in page, "Bobs" in page) == (True, False)
