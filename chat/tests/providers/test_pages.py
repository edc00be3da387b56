"""Who may see and change providers and models, and what the pages show and never show."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from audit.models import Event
from benchmarks.stub import Stub
from chat.llm.services import SERVICES
from chat.models import LanguageModel, Provider
from chat.providers import check_runner
from chat.tests.builders import AConversation, a_user
from chat.tests.providers.conftest import CANARY
from chat.tests.providers.scripted import Reply, scripted

pytestmark = [pytest.mark.usefixtures("broker"), pytest.mark.long]

# The worker's part looks at the database from threads of its own.
RUNS = pytest.mark.django_db(transaction=True)

Make = Callable[..., LanguageModel]
MODEL = {
    "name": "stub-n5",
    "dialect": "native",
    "returns_reasoning": "never",
    "takes_tools": "on",
    "enabled": "on",
}
PROVIDER_ROUTES = {
    "provider": "get",
    "edit": "get",
    "delete": "post",
    "list": "post",
    "add": "post",
}
MODEL_ROUTES = {
    "model": "get",
    "status": "get",
    "edit_model": "get",
    "test": "post",
    "probe": "post",
    "default": "post",
    "offer": "post",
    "move": "post",
    "delete_model": "post",
}


def url(name: str, row: Any = None) -> str:
    return reverse(f"providers:{name}", args=[row.public_id] if row else [])


def routes(model: LanguageModel) -> list[tuple[str, str]]:
    plain = [("get", url("index")), ("get", url("create")), ("post", url("create"))]
    of_provider = [(method, url(name, model.provider)) for name, method in PROVIDER_ROUTES.items()]
    of_model = [(method, url(name, model)) for name, method in MODEL_ROUTES.items()]
    forms = [("post", url("edit", model.provider)), ("post", url("edit_model", model))]
    new = url("create_model", model.provider)
    return [*plain, *of_provider, *of_model, *forms, ("get", new), ("post", new)]


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_everyone_but_staff_gets_403_and_nothing_starts(
    outsider: Client, make: Make, stub: Stub
) -> None:
    model = make("stub-n5", enabled=False)
    asked = len(stub.requests)
    for method, address in routes(model):
        assert getattr(outsider, method)(address, MODEL).status_code == 403, (method, address)
    assert LanguageModel.objects.values_list("check_state", "enabled").get() == ("idle", False)
    assert Provider.objects.count() == 1
    assert len(stub.requests) == asked


def test_who_is_not_signed_in_is_sent_to_the_sign_in(client: Client, make: Make) -> None:
    for method, address in routes(make()):
        response = getattr(client, method)(address, MODEL)
        assert response.status_code == 302, (method, address)
        assert "next=" in response["Location"]


def test_what_is_not_there_is_404(admin: Client, make: Make) -> None:
    model = make()
    gone = {"providers": model.provider.public_id, "models": model.public_id}
    routes_now = routes(model)
    model.provider.delete()
    for method, address in routes_now:
        if any(str(public_id) in address for public_id in gone.values()):
            assert getattr(admin, method)(address).status_code == 404, address


def test_changing_needs_a_csrf_token(staff: User, make: Make) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(staff)
    model = make()
    for method, address in routes(model):
        if method == "post":
            assert client.post(address).status_code == 403, address
    assert LanguageModel.objects.filter(pk=model.pk).exists()


@RUNS
def test_the_key_is_in_no_page(admin: Client, make: Make, staff: User) -> None:
    model = make()
    admin.post(url("test", model))
    check_runner.run(model.pk)
    admin.post(url("list", model.provider), headers={"X-Requested-With": "fetch"})
    for method, address in routes(model):
        if method == "get":
            assert CANARY not in page(admin, address), address
    refused = admin.post(url("edit", model.provider), {"name": "", "api_key": CANARY})
    assert (refused.status_code, CANARY in refused.content.decode()) == (422, False)


@pytest.mark.parametrize("slug", SERVICES)
def test_each_service_fills_the_form_in(admin: Client, slug: str) -> None:
    html = page(admin, f"{url('create')}?service={slug}")
    assert str(SERVICES[slug].label) in html
    assert SERVICES[slug].base_url in html


def test_a_provider_is_added_with_its_key_encrypted(admin: Client, stub: Stub) -> None:
    fields = {
        "name": "深度求索",
        "kind": "openai",
        "base_url": f"{stub.base_url}/chat/completions",
        "api_key": CANARY,
        "enabled": "on",
    }
    response = admin.post(f"{url('create')}?service=deepseek", fields)
    provider = Provider.objects.get()
    assert response["Location"] == provider.get_absolute_url()
    assert (provider.base_url, provider.service) == (stub.base_url, "deepseek")
    assert provider.api_key == CANARY
    with connection.cursor() as cursor:
        cursor.execute("SELECT api_key FROM chat_provider")
        assert CANARY not in cursor.fetchone()[0]


def test_a_service_that_needs_a_key_asks_for_it(admin: Client) -> None:
    fields = {"name": "O", "kind": "openai", "base_url": "https://api.openai.com/v1"}
    response = admin.post(f"{url('create')}?service=openai", fields)
    assert "OpenAI needs a key." in response.content.decode()
    assert admin.post(f"{url('create')}?service=ollama", fields).status_code == 302


def _edit(admin: Client, provider: Provider, **changes: str) -> str:
    fields = {"name": "Stub", "kind": "openai", "base_url": provider.base_url, "enabled": "on"}
    response = admin.post(url("edit", provider), {**fields, **changes})
    provider.refresh_from_db()
    return response.content.decode()


def test_that_members_share_objects_is_an_admins_decision(
    admin: Client, provider: Provider
) -> None:
    opened = Provider.objects.filter(shares_objects=True)
    assert not opened.exists()
    _edit(admin, provider, shares_objects="on")
    assert opened.get() == provider
    assert "shares_objects" in Event.objects.latest("id").detail["fields"]
    page = admin.get(provider.get_absolute_url()).content.decode()
    assert "Members share this key's objects" in page


def test_the_box_of_shared_objects_is_described(admin: Client, provider: Provider) -> None:
    page = admin.get(url("edit", provider)).content.decode()
    (box,) = re.findall(r'<input type="checkbox" name="shares_objects"[^>]*>', page)
    described = re.search(r'aria-describedby="([^"]+)"', box)
    assert described and f'id="{described[1]}"' in page


def test_another_base_url_needs_the_key_again(admin: Client, provider: Provider) -> None:
    before = provider.base_url
    assert "Enter the key again" in _edit(admin, provider, base_url="https://elsewhere.example/v1")
    assert provider.base_url == before
    _edit(admin, provider, base_url="https://elsewhere.example/v1", api_key="sk-new")
    assert (provider.base_url, provider.api_key) == ("https://elsewhere.example/v1", "sk-new")


def test_a_blank_key_is_kept_and_can_be_forgotten(admin: Client, provider: Provider) -> None:
    _edit(admin, provider, name="Renamed")
    assert (provider.name, provider.api_key) == ("Renamed", CANARY)
    _edit(admin, provider, forget_key="on")
    assert provider.api_key == ""


def test_another_base_url_makes_probes_void(admin: Client, make: Make, provider: Provider) -> None:
    make("stub-n5", dialect="auto", probed={"dialect": "nous"})
    _edit(admin, provider, base_url="https://elsewhere.example/v1", api_key="sk-new")
    model = LanguageModel.objects.get()
    assert (model.probed, model.check_state) == ({}, "asked")


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host/v1",
        "host/v1",
        "http://",
        "http://[::1",
        "https://key@host/v1",
        "https://h/v1?k=1",
    ],
)
def test_an_address_that_is_none_is_refused(
    admin: Client, provider: Provider, address: str
) -> None:
    assert 'class="errorlist"' in _edit(admin, provider, base_url=address, api_key="sk-new")


def test_a_key_that_is_no_word_is_refused_and_not_repeated(
    admin: Client, provider: Provider
) -> None:
    html = _edit(admin, provider, api_key=f"{CANARY} and more")
    assert "A key has no spaces" in html
    assert CANARY not in html


def test_of_the_built_in_provider_there_is_only_to_switch(admin: Client) -> None:
    built_in = Provider.objects.create(name="Walkthrough", kind="cassette", api_key=CANARY)
    assert "api_key" not in page(admin, url("edit", built_in))
    admin.post(url("edit", built_in), {"base_url": "https://elsewhere.example/v1"})
    built_in.refresh_from_db()
    assert (built_in.enabled, built_in.base_url, built_in.api_key) == (False, "", CANARY)


def test_the_list_of_the_endpoint_is_shown_and_models_of_it_are_added(
    admin: Client, provider: Provider
) -> None:
    html = admin.post(url("list", provider), headers={"X-Requested-With": "fetch"}).content.decode()
    assert 'value="stub-n20"' in html
    chosen = {"name": ["stub-n20", "stub-t3-n20", "not-listed"], "dialect": "native"}
    admin.post(url("add", provider), chosen)
    admin.post(url("add", provider), chosen)
    names = LanguageModel.objects.order_by("name").values_list("name", flat=True)
    assert list(names) == ["stub-n20", "stub-t3-n20"]


def test_added_models_know_what_the_list_told(admin: Client, provider: Provider) -> None:
    told = {"id": "m", "name": "模型", "context_length": 4096, "pricing": {"prompt": "0.000001"}}
    with scripted(lambda _: Reply({"data": [told]})) as server:
        Provider.objects.update(base_url=server.base_url)
        admin.post(url("list", provider))
    admin.post(url("add", provider), {"name": "m", "dialect": "auto"})
    model = LanguageModel.objects.get()
    assert (model.label, model.context_window, str(model.price_in)) == ("模型", 4096, "1.000000")
    assert model.check_state == "asked"


def test_a_list_that_fails_says_why(admin: Client, provider: Provider) -> None:
    Provider.objects.update(base_url="http://127.0.0.1:1/v1")
    html = admin.post(url("list", provider), headers={"X-Requested-With": "fetch"}).content.decode()
    assert "could not be reached" in html
    assert "could not be reached" in admin.post(url("list", provider), follow=True).content.decode()


@pytest.mark.long
def test_four_hundred_models_are_one_page_of_few_queries(
    admin: Client, provider: Provider, django_assert_max_num_queries: Any
) -> None:
    provider.listed = [{"id": f"vendor/model-{number}"} for number in range(400)]
    provider.save()
    admin.post(url("add", provider), {"name": [f"vendor/model-{n}" for n in range(400)]})
    with django_assert_max_num_queries(12):
        assert page(admin, url("index")).count("vendor/model-399") > 0
    with django_assert_max_num_queries(12):
        page(admin, url("provider", provider))


def test_a_model_is_added_by_its_id(admin: Client, provider: Provider) -> None:
    fields = {
        **MODEL,
        "temperature": "0.2",
        "stop": "END\n\\n",
        "extra": '{"top_k": 20}',
        "make_default": "on",
    }
    admin.post(url("create_model", provider), fields)
    model = LanguageModel.objects.get()
    assert model.is_default
    assert model.parameters == {
        "temperature": 0.2,
        "stop": ["END", "\n"],
        "extra": {"top_k": 20},
    }


def test_an_id_is_there_once(admin: Client, make: Make) -> None:
    response = admin.post(url("create_model", make().provider), MODEL)
    assert "already has a model with this id" in response.content.decode()


@RUNS
def test_what_is_saved_for_finding_out_is_probed(admin: Client, provider: Provider) -> None:
    admin.post(url("create_model", provider), {**MODEL, "dialect": "auto"})
    model = LanguageModel.objects.get()
    assert model.check_state == "asked"
    check_runner.run(model.pk)
    model.refresh_from_db()
    assert model.probed["dialect"] == "native"
    admin.post(url("edit_model", model), {**MODEL, "dialect": "auto"})
    model.refresh_from_db()
    assert model.check_state == "succeeded"


@pytest.mark.parametrize(("kind", "dialect"), [("openai", "anthropic"), ("anthropic", "nous")])
def test_a_dialect_that_the_provider_does_not_speak_is_refused(
    admin: Client, provider: Provider, kind: str, dialect: str
) -> None:
    Provider.objects.update(kind=kind)
    response = admin.post(url("create_model", provider), {**MODEL, "dialect": dialect})
    assert response.status_code == 422


@RUNS
def test_a_test_shows_what_happened(admin: Client, make: Make) -> None:
    model = make("stub-t1-n5")
    admin.post(url("test", model))
    check_runner.run(model.pk)
    html = page(admin, url("status", model))
    assert "It called the tool." in html
    assert "HTTP 200" in html
    assert re.search(r"\d → \d+ tokens", html)
    model.refresh_from_db()
    assert model.check_trace is not None
    trace = model.check_trace.get_absolute_url()
    assert trace in html
    assert "calculate" in page(admin, trace)


@RUNS
def test_a_failed_test_says_what_to_do(admin: Client, make: Make) -> None:
    model = make("stub-f401")
    admin.post(url("test", model))
    check_runner.run(model.pk)
    html = page(admin, url("model", model))
    assert "rejected the API key" in html
    assert "Check the key" in html
    assert CANARY not in html


def test_deleting_says_how_many_conversations_it_concerns(admin: Client, make: Make) -> None:
    model = make(is_default=True)
    conversation = AConversation(a_user("owner"), model=model).row
    assert "1 conversation uses this model." in page(admin, url("model", model))
    assert "1 conversation uses these models." in page(admin, url("provider", model.provider))
    admin.post(url("delete_model", model))
    conversation.refresh_from_db()
    assert conversation.model is None


def test_there_is_one_default(admin: Client, make: Make) -> None:
    first, second = make("a", is_default=True), make("b")
    admin.post(url("default", second))
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.is_default, second.is_default) == (False, True)


def test_models_are_ordered_as_an_admin_says(admin: Client, make: Make) -> None:
    models = [make(name) for name in ("a", "b", "c")]
    admin.post(url("move", models[2]), {"to": "up"})
    admin.post(url("move", models[0]), {"to": "up"})
    offered = [model.name for model in LanguageModel.objects.offered()]
    assert offered == ["a", "c", "b"]


def test_a_model_is_switched_off_and_on(admin: Client, make: Make) -> None:
    model = make()
    admin.post(url("offer", model))
    assert not LanguageModel.objects.offered().exists()
    admin.post(url("offer", model), {"enabled": "on"})
    assert LanguageModel.objects.offered().exists()


def test_hostile_names_are_text(admin: Client, provider: Provider) -> None:
    evil = "<script>alert(1)</script>\u202egnp"
    provider.listed = [{"id": evil, "label": evil}]
    provider.save()
    admin.post(url("add", provider), {"name": evil})
    model = LanguageModel.objects.get()
    pages = [url("index"), url("provider", provider), url("model", model), url("edit_model", model)]
    for address in pages:
        assert "<script>alert" not in page(admin, address)
    assert "[U+202E]" in page(admin, url("index"))


def test_without_a_model_the_chat_leads_admins_to_the_setup(admin: Client) -> None:
    assert f'href="{url("index")}"' in page(admin, "/")


def test_a_provider_that_a_start_sets_up_says_so(admin: Client, provider: Provider) -> None:
    Provider.objects.update(name="Environment")
    assert "OPENAI_BASE_URL" in page(admin, url("provider", provider))
