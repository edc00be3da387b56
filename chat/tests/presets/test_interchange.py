"""A preset as JSON: what goes out comes in again, what is not here is told, nonsense is refused."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from chat.errors import Rejected
from chat.models import Preset, Provider
from chat.presets import interchange
from chat.tests.builders import a_model, a_user

pytestmark = pytest.mark.django_db

FIELDS: dict[str, Any] = {
    "description": "Hilft.",
    "system_prompt": "你好\n",
    "tools": ["calculate", "sqlite-*"],
    "servers": ["sqlite"],
    "skills": [],
    "policies": [["sqlite-*", "ask"]],
    "starters": ["一", "two"],
    "limits": {"rounds": 20, "micro_share": 0.25},
}


@pytest.fixture
def person() -> User:
    return a_user("ann")


def read(person: User, **changes: Any) -> interchange.Imported:
    written = {"roundtrip": {"preset": 1}, "name": "Mine", **changes}
    return interchange.imported(json.dumps(written), person)


def test_what_goes_out_comes_in_again(person: User) -> None:
    made = Preset.objects.create(name="Theirs", model=a_model("gpt"), **FIELDS)
    text = json.dumps(interchange.exported(made))
    found = interchange.imported(text, person).preset
    assert {name: getattr(found, name) for name in FIELDS} == FIELDS
    assert (found.model, found.owner, found.published) == (made.model, person, False)


def test_nothing_secret_goes_out(person: User) -> None:
    model = a_model("gpt")
    Provider.objects.filter(pk=model.provider_id).update(base_url="http://user:canary-1@host/v1")
    model.provider.api_key = "canary-2"
    model.provider.save()
    text = json.dumps(interchange.exported(Preset(name="Mine", model=model, owner=person)))
    assert "canary" not in text
    assert "ann" not in text


def test_a_taken_name_gets_a_number(person: User) -> None:
    for name in ("Mine", "Mine 2"):
        Preset.objects.create(owner=person, name=name)
    found = read(person)
    assert found.preset.name == "Mine 3"
    assert any("The name is taken" in note for note in found.notes)


def test_what_is_not_here_is_told_and_kept_where_it_does_no_harm(person: User) -> None:
    lists = {"tools": ["calculate", "far-read"], "servers": ["far"], "skills": ["rare"]}
    found = read(person, model="gpt-99", extra=1, **lists)
    assert (found.preset.tools, found.preset.servers) == (lists["tools"], lists["servers"])
    assert found.preset.model is None
    assert found.notes == [
        "The model gpt-99 is not available here; the assistant works with any model.",
        "Tools that do not exist here: far-read. They apply once they do.",
        "Servers that do not exist here: far. They apply once they do.",
        "Skills that do not exist here: rare. They apply once they do.",
        "Not used: extra.",
    ]


def test_a_ceiling_above_the_deployments_is_lowered_and_told(person: User) -> None:
    found = read(person, limits={"subagent_rounds": 400, "tools_sent": 40})
    assert found.preset.limits == {"subagent_rounds": 30, "tools_sent": 40}
    assert found.notes == ["Rounds of a subagent: lowered to 30, the most here."]


def test_allow_is_told_to_count_only_where_the_tool_allows(person: User) -> None:
    assert any("Allow" in note for note in read(person, policies=[["*", "allow"]]).notes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"roundtrip": {"preset": 2}}, "It has the format 2; this version of Roundtrip reads 1"),
        ({"roundtrip": {}}, "This is not an assistant"),
        ({"roundtrip": 7}, "This is not an assistant"),
        ({"name": " "}, "It has no name"),
        ({"name": 5}, "name: write a text"),
        ({"name": "x" * 81}, "name: it has 81 characters; the limit is 80"),
        ({"tools": "calculate"}, "tools: write a list of texts"),
        ({"servers": [1]}, "servers: write a list of texts"),
        ({"policies": [["a", "b", "c"]]}, "policies: write a list of pairs"),
        ({"policies": {"a": "ask"}}, "policies: write a list of pairs"),
        ({"policies": [["a", "maybe"]]}, "Choose allow, ask or deny"),
        ({"starters": ["x"] * 13}, "the limit is 12"),
        ({"limits": {"round": 5}}, "limits: round: There is no limit of this name"),
        ({"limits": {"rounds": 10**400}}, "limits: rounds: This is out of bounds"),
        ({"limits": {"rounds": float("nan")}}, "limits: rounds: Write a number"),
        ({"limits": [5]}, "limits: Write an object"),
        ({"model": 5}, "model: write the id of a model"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_place(
    person: User, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(Rejected) as refused:
        read(person, **changes)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "{", "[]", "null", "7", "x" * 1_000_001, '{"a": 1' + "0" * 5000),
        "[" * 100_000,
        '{"roundtrip": {"preset": 1}, "name": "a", "b": ' + "[" * 700 + "]" * 700 + "}",
    ],
)
def test_what_is_no_preset_is_refused_with_a_sentence(person: User, text: str) -> None:
    with pytest.raises(Rejected):
        interchange.imported(text, person)


def test_a_name_that_is_taken_meanwhile_gets_a_number_too(person: User) -> None:
    first, second = read(person), read(person)
    assert [interchange.keep(one).name for one in (first, second)] == ["Mine", "Mine 2"]


def test_text_that_no_page_could_show_is_made_showable(client: Client, person: User) -> None:
    client.force_login(person)
    text = json.dumps(
        {"roundtrip": {"preset": 1}, "name": "a\ud800\0", "starters": ["\ud800"], "tools": ["\0"]}
    )
    answer = client.post("/assistants/import", {"text": text}, follow=True)
    assert answer.status_code == 200
    assert Preset.objects.get().starters == ["\ufffd"]


def test_a_file_is_imported_and_downloaded_again(client: Client, person: User) -> None:
    client.force_login(person)
    text = json.dumps({"roundtrip": {"preset": 1}, "name": "Mine", **FIELDS})
    file = SimpleUploadedFile("assistant.json", text.encode())
    client.post("/assistants/import", {"file": file, "text": ""})
    made = Preset.objects.get()
    answer = client.get(f"/assistants/{made.public_id}/export")
    assert json.loads(answer.content) == {**json.loads(text), "model": None}
    assert "attachment" in answer["Content-Disposition"]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"{"])
def test_a_file_that_is_no_preset_says_why_and_makes_nothing(
    client: Client, person: User, content: bytes
) -> None:
    client.force_login(person)
    answer = client.post("/assistants/import", {"file": SimpleUploadedFile("a.json", content)})
    assert answer.status_code == 422
    assert b"errorlist" in answer.content
    assert not Preset.objects.exists()
