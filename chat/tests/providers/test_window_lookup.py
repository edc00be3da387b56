"""What is known of a model's context window, and who says so."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.forms.models import model_to_dict
from django.test import Client
from django.urls import reverse

from chat.agent.windows import WindowSource, context_window, model_window
from chat.models import Conversation, LanguageModel, Preset, Provider
from chat.providers import window_lookup
from chat.providers.catalogue import ListedModel
from chat.providers.forms import LanguageModelForm
from chat.tests.providers.scripted import Asked, Reply, scripted

pytestmark = pytest.mark.django_db


def model(base_url: str = "http://127.0.0.1:1/v1", **fields: Any) -> LanguageModel:
    provider = Provider.objects.create(name="Own", base_url=base_url)
    return LanguageModel.objects.create(provider=provider, name="qwen", **fields)


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"/props": {"default_generation_settings": {"n_ctx": 4096}}}, (4096, "server")),
        (
            {"/api/ps": {"models": [{"name": "qwen:latest", "context_length": 8192}]}},
            (8192, "server"),
        ),
        ({"/api/v0/models/qwen": {"loaded_context_length": 2048}}, (2048, "server")),
        ({"/v1/models": {"data": [{"id": "qwen", "max_model_len": 32768}]}}, (32768, "listing")),
        ({"/v1/models": {"data": [{"id": "another", "max_model_len": 1}]}}, None),
        ({"/props": {"default_generation_settings": {"n_ctx": "many"}}}, None),
        ({"/props": ["no", "object"], "/api/ps": {"models": 7}}, None),
    ],
)
def test_a_server_is_asked_in_the_ways_of_those_that_tell(
    answers: dict[str, Any], told: Any
) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(answers[asked.path]) if asked.path in answers else Reply(b"", 404)

    with scripted(answer) as server:
        assert window_lookup.look_up(model(server.base_url)) == told


def test_a_server_that_is_gone_tells_nothing() -> None:
    assert window_lookup.look_up(model()) is None


def test_what_an_admin_set_is_neither_asked_for_nor_replaced() -> None:
    row = model(context_window=1_000)
    assert window_lookup.look_up(row) is None
    window_lookup.keep(row, 9_000, LanguageModel.WindowSource.SERVER)
    row.refresh_from_db()
    assert row.context_window == 1_000


def test_what_a_list_tells_gives_way_to_what_the_server_runs_and_not_back() -> None:
    row = model(context_window=40_960, window_source="listing")
    window_lookup.keep(row, 4_096, LanguageModel.WindowSource.SERVER)
    window_lookup.keep_listed(row.provider, [ListedModel("qwen", context_window=40_960)])
    row.refresh_from_db()
    assert (row.context_window, row.window_source) == (4_096, "server")


@pytest.mark.parametrize(
    ("fields", "preset", "own", "expected"),
    [
        ({}, {}, {}, (128_000, "assumed")),
        ({"context_window": 9_000}, {}, {}, (9_000, "model")),
        ({"context_window": 9_000, "window_source": "listing"}, {}, {}, (9_000, "listing")),
        ({"context_window": 9_000, "refused_window": 4_000}, {}, {}, (9_000, "model")),
        (
            {"context_window": 9_000, "window_source": "listing", "refused_window": 4_000},
            {},
            {},
            (4_000, "refusal"),
        ),
        ({"refused_window": 4_000, "refused_is_estimate": True}, {}, {}, (4_000, "estimate")),
        ({}, {"context_window": 5_000}, {}, (5_000, "preset")),
        ({"refused_window": 4_000}, {"context_window": 5_000}, {}, (4_000, "refusal")),
        ({"refused_window": 4_000}, {}, {"context_window": 3_000}, (3_000, "conversation")),
    ],
)
def test_the_first_that_says_something_counts(
    fields: Any, preset: Any, own: Any, expected: tuple[int, str]
) -> None:
    conversation = Conversation(preset=Preset(pk=1, limits=preset), limits=own)
    found = context_window(conversation, LanguageModel(**fields))
    assert (found.tokens, found.source) == expected


def test_the_deployments_window_counts_for_models_of_which_nothing_is_known(settings: Any) -> None:
    settings.AGENT_LIMITS = {"context_window": 16_000}
    found = context_window(Conversation(), LanguageModel())
    assert (found.tokens, found.source) == (16_000, WindowSource.DEPLOYMENT)
    assert model_window(LanguageModel()) is None


def test_the_models_page_says_where_the_window_is_from(client: Client) -> None:
    client.force_login(User.objects.create_superuser("admin"))
    row = model(refused_window=4_000, refused_at=datetime(2026, 3, 1, tzinfo=UTC))
    html = client.get(row.get_absolute_url()).content.decode()
    assert "4,000 tokens" in html
    assert "named by the provider" in html
    assert "2026-03-01" in html


def test_a_window_that_an_admin_writes_is_theirs(client: Client) -> None:
    client.force_login(User.objects.create_superuser("admin"))
    row = model(context_window=40_960, window_source="listing", refused_window=4_000)
    url = reverse("providers:edit_model", args=[row.public_id])
    form = {"name": "qwen", "dialect": "native", "returns_reasoning": "never"}
    client.post(url, form | {"context_window": 40_960})
    row.refresh_from_db()
    assert (row.window_source, row.refused_window) == ("listing", 4_000)
    client.post(url, form | {"context_window": 8_000})
    row.refresh_from_db()
    assert (row.context_window, row.window_source, row.refused_window) == (8_000, "", None)


@pytest.mark.parametrize(
    ("fields", "tokens"),
    [
        ({}, None),
        ({"context_window": 4_000}, 4_000),
        ({"refused_window": 4_000}, 4_000),
        ({"refused_window": 4_000, "refused_is_estimate": True}, None),
    ],
)
def test_a_message_is_only_too_long_for_a_window_that_is_known(fields: Any, tokens: Any) -> None:
    assert LanguageModel(**fields).longest_message == tokens


def test_saving_a_model_leaves_what_a_worker_has_just_learned() -> None:
    row = model(label="Old")
    form = LanguageModelForm({**_as_posted(row), "label": "New"}, instance=row)
    assert form.is_valid(), form.errors
    window_lookup.keep(LanguageModel.objects.get(), 9_000, LanguageModel.WindowSource.SERVER)
    LanguageModel.objects.update(check_state="running", check_epoch=7, probed={"tools": True})
    form.save()
    stored = LanguageModel.objects.get()
    assert (stored.label, stored.context_window, stored.window_source) == ("New", 9_000, "server")
    assert (stored.check_state, stored.check_epoch, stored.probed) == (
        "running",
        7,
        {"tools": True},
    )


def test_saving_a_window_makes_it_the_admins() -> None:
    row = model(context_window=9_000, window_source="server")
    LanguageModelForm({**_as_posted(row), "context_window": 5_000}, instance=row).save()
    stored = LanguageModel.objects.get()
    assert (stored.context_window, stored.window_source) == (5_000, "")


def _as_posted(row: LanguageModel) -> dict[str, Any]:
    return {name: value for name, value in model_to_dict(row).items() if value is not None}
