"""The pages of the playground: who may see them, and that nothing typed is lost."""

import json
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from chat.models import LanguageModel, Playground, PlaygroundRun
from chat.playground import outputs, running
from chat.tests.builders import a_model
from limits.replay import MAX_DRAFT_BYTES
from tracing.models import Archive, Trace
from tracing.tests.builders import ATurn, a_user, wire

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

QUESTION = {"role": "user", "content": "</textarea><b>几张表"}
FETCH = {"HTTP_X_REQUESTED_WITH": "fetch"}


@pytest.fixture
def model() -> LanguageModel:
    return a_model("qwen")


@pytest.fixture
def turn(model: LanguageModel) -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 90))
    turn.a_generation(
        {
            "input": wire({"messages": [QUESTION], "tools": [], "parameters": {"seed": 7}}),
            "output": wire({"message": {"role": "assistant", "content": "Three."}}),
        },
        (0, 90),
        attributes={"provider": "Provider", "model": "qwen", "dialect": "nous"},
    )
    return turn


@pytest.fixture
def owner(client: Client, turn: ATurn) -> Client:
    client.force_login(turn.archive.owner)
    return client


@pytest.fixture
def playground(turn: ATurn) -> Playground:
    archive = Archive.objects.create(owner=turn.archive.owner)
    return Playground.objects.create(archive=archive, title="Tables", draft="{}")


def opened(client: Client, turn: ATurn, **changes: str) -> Any:
    fields = {"trace": str(turn.trace.public_id), "round": "1", "attempt": "1", **changes}
    return client.post(reverse("playground:create"), fields)


def address(playground: Playground, name: str = "run", *more: int) -> str:
    return reverse(f"playground:{name}", args=[playground.public_id, *more])


def a_draft(model: LanguageModel) -> str:
    return json.dumps({"model": str(model.public_id), "messages": [QUESTION]}, ensure_ascii=False)


def test_a_round_opens_with_what_it_was_given(
    owner: Client, turn: ATurn, model: LanguageModel
) -> None:
    assert opened(owner, turn).status_code == 302
    made = Playground.objects.get()
    assert json.loads(made.draft) == {
        "model": str(model.public_id),
        "dialect": "nous",
        "messages": [QUESTION],
        "tools": [],
        "parameters": {"seed": 7},
    }
    page = owner.get(made.get_absolute_url()).content.decode()
    assert "<b>几张表" not in page
    assert "&lt;/textarea&gt;" in page


def test_an_empty_one_has_the_first_model(owner: Client, model: LanguageModel) -> None:
    made = owner.post(reverse("playground:create"), follow=True)
    assert str(model.public_id) in made.content.decode()


def test_what_was_not_recorded_cannot_be_opened(owner: Client, turn: ATurn) -> None:
    turn.a_round(2, (100, 190))
    turn.a_generation({}, (100, 190))
    reply = owner.post(
        reverse("playground:create"),
        {"trace": str(turn.trace.public_id), "round": "2"},
        follow=True,
    )
    assert "is not recorded" in reply.content.decode()


@pytest.mark.parametrize("changes", [{"trace": "x"}, {"round": "x"}, {"round": "9"}])
def test_a_round_that_is_not_there(owner: Client, turn: ATurn, changes: dict[str, str]) -> None:
    assert opened(owner, turn, **changes).status_code == 404


def test_anothers_trace_cannot_be_opened(client: Client, turn: ATurn) -> None:
    client.force_login(a_user())
    assert opened(client, turn).status_code == 404


def test_staff_open_anothers_trace_in_a_playground_of_their_own(
    client: Client, turn: ATurn
) -> None:
    staff = a_user(is_staff=True, is_superuser=True)
    client.force_login(staff)
    assert opened(client, turn).status_code == 302
    assert Playground.objects.get().archive.owner == staff


@pytest.mark.parametrize("user", ["outsider", "staff"])
def test_a_playground_is_its_owners_alone(
    client: Client, playground: Playground, user: str
) -> None:
    client.force_login(a_user(is_superuser=user == "staff"))
    assert client.get(playground.get_absolute_url()).status_code == 404
    for name in ("draft", "run", "delete"):
        assert client.post(address(playground, name)).status_code == 404
    assert client.post(address(playground, "stop", 1)).status_code == 404
    assert client.get(address(playground, "outputs", 1)).status_code == 404
    assert "Tables" not in client.get(reverse("playground:index")).content.decode()


def test_nobody_comes_here_without_signing_in(client: Client, playground: Playground) -> None:
    for place in (playground.get_absolute_url(), reverse("playground:index")):
        assert "/login" in client.get(place)["Location"]


def test_what_is_typed_is_kept_sendable_or_not(owner: Client, playground: Playground) -> None:
    typed = '{"messages": [{"role": "user", "content": "half a'
    assert owner.post(address(playground, "draft"), {"draft": typed}).status_code == 204
    page = owner.get(playground.get_absolute_url()).content.decode()
    assert "half a</textarea>" in page


def test_a_draft_that_is_too_long_is_refused_with_a_sentence(
    owner: Client, playground: Playground
) -> None:
    typed = "数" * (MAX_DRAFT_BYTES // 3 + 1)
    for name in ("draft", "run"):
        reply = owner.post(address(playground, name), {"draft": typed}, **FETCH)  # type: ignore[arg-type]
        assert "more than the playground takes" in reply.json()["sentence"]


def test_a_script_is_told_what_is_wrong_and_the_draft_is_kept(
    owner: Client, playground: Playground
) -> None:
    reply = owner.post(address(playground), {"draft": '{"messages": []}'}, **FETCH)  # type: ignore[arg-type]
    assert reply.status_code == 422
    assert [one["path"] for one in reply.json()["problems"]] == ["model", "messages"]
    playground.refresh_from_db()
    assert playground.draft == '{"messages": []}'


def test_without_a_script_the_page_says_it(owner: Client, playground: Playground) -> None:
    reply = owner.post(address(playground), {"draft": '{"messages": "几张'})
    page = reply.content.decode()
    assert reply.status_code == 422
    assert "This is not JSON" in page
    assert "几张</textarea>" in page


def test_a_run_has_an_address_and_is_laid_beside_the_original(
    owner: Client, turn: ATurn, model: LanguageModel, broker: Celery
) -> None:
    opened(owner, turn)
    playground = Playground.objects.get()
    reply = owner.post(address(playground), {"draft": a_draft(model)})
    assert reply["Location"] == f"{playground.get_absolute_url()}?run=1"
    running.run(PlaygroundRun.objects.get().pk)
    page = owner.get(reply["Location"]).content.decode()
    assert "Original and run 1" in page
    assert "Three." in page
    assert "could not be reached" in page
    assert "Check that the server is running" in page


def test_a_run_can_be_edited_again_at_its_own_address(
    owner: Client, playground: Playground, model: LanguageModel, broker: Celery
) -> None:
    owner.post(address(playground), {"draft": a_draft(model)})
    owner.post(address(playground, "draft"), {"draft": "something else"})
    page = owner.get(address(playground, "of_run", 1)).content.decode()
    assert "几张表" in page
    assert "something else" not in page
    assert owner.get(address(playground, "of_run", 2)).status_code == 404


def test_an_empty_playground_is_called_after_its_first_question(
    owner: Client, model: LanguageModel, broker: Celery
) -> None:
    owner.post(reverse("playground:create"))
    playground = Playground.objects.get()
    owner.post(address(playground), {"draft": a_draft(model)})
    playground.refresh_from_db()
    assert playground.title == QUESTION["content"]


def test_two_runs_are_laid_side_by_side(
    owner: Client, playground: Playground, model: LanguageModel, broker: Celery
) -> None:
    for _ in range(2):
        owner.post(address(playground), {"draft": a_draft(model)})
    page = owner.get(f"{playground.get_absolute_url()}?run=2&against=1").content.decode()
    assert "Run 1 and run 2" in page
    part = owner.get(f"{address(playground, 'outputs', 2)}?against=1").content.decode()
    assert 'data-open="yes"' in part


def test_a_run_is_stopped_from_the_page(
    owner: Client, playground: Playground, model: LanguageModel, broker: Celery
) -> None:
    owner.post(address(playground), {"draft": a_draft(model)})
    owner.post(address(playground, "stop", 1))
    assert PlaygroundRun.objects.get().state == "stopped"
    assert owner.get(f"{playground.get_absolute_url()}?run=1").status_code == 200


def test_deleting_takes_its_traces_along(
    owner: Client, playground: Playground, model: LanguageModel, broker: Celery
) -> None:
    owner.post(address(playground), {"draft": a_draft(model)})
    owner.post(address(playground, "delete"))
    assert not Playground.objects.exists()
    assert not Trace.objects.filter(kind="playground").exists()


def test_the_original_is_not_shown_to_who_may_not_see_it_any_more(
    owner: Client, turn: ATurn, model: LanguageModel, broker: Celery
) -> None:
    opened(owner, turn)
    playground = Playground.objects.get()
    owner.post(address(playground), {"draft": a_draft(model)})
    Trace.objects.filter(pk=turn.trace.pk).update(owner=a_user())
    page = owner.get(f"{playground.get_absolute_url()}?run=1").content.decode()
    assert "Three." not in page


def test_a_page_asks_the_database_the_same_however_many_runs_there_are(
    owner: Client,
    playground: Playground,
    model: LanguageModel,
    broker: Celery,
) -> None:
    owner.post(address(playground), {"draft": a_draft(model)})
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as asked:
            owner.get(playground.get_absolute_url())
        counts.append(len(asked))
        owner.post(address(playground), {"draft": a_draft(model)})
    assert counts[0] == counts[1]


def test_what_came_of_a_damaged_output_is_said(
    turn: ATurn, playground: Playground, owner: User
) -> None:
    turn.a_round(2, (100, 190))
    span = turn.a_generation({"output": b"no JSON"}, (100, 190))
    assert "cannot be read" in outputs.of_generation(span, "Original").problems[0]
