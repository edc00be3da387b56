"""A cassette that an admin uploads becomes a provider of this server's own."""

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient, Client

from chat.cassettes import builtin
from chat.errors import Rejected
from chat.models import LanguageModel, Preset, Provider
from chat.tests.builders import a_user
from chat.tests.cassettes.builders import HELLO, document, generation, response, stream, written

pytestmark = pytest.mark.django_db(transaction=True)

HI = stream("Hi", " 三")
SYSTEM = {"role": "system", "content": "Be kind."}
TOOL = {"type": "function", "function": {"name": "calculate", "parameters": {}}}
ADDRESS = "/providers/cassettes/new"


def a_document(**rest: Any) -> bytes:
    opening = {"messages": [SYSTEM, *HELLO], "tools": [TOOL]}
    asked = generation([SYSTEM, *HELLO], response(HI), dialect="nous", **rest)
    return written(document([asked], opening=opening))


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(a_user("admin", is_staff=True, is_superuser=True))
    return client


def upload(client: Client, content: bytes, name: str = "") -> Any:
    file = SimpleUploadedFile("a.cassette.json", content)
    return client.post(ADDRESS, {"file": file, "name": name})


def ask(provider: Provider, messages: Any, rest: str = "chat/completions", **headers: str) -> Any:
    """Status and body, as the ASGI server streams them."""
    shown = {"Authorization": f"Bearer {provider.api_key}", **headers}

    async def stream() -> tuple[int, bytes]:
        answer: Any = await AsyncClient().post(
            f"/cassettes/{provider.slug}/v1/{rest}",
            json.dumps({"model": "m", "messages": messages, "stream": True}),
            content_type="application/json",
            headers=shown,
        )
        if not answer.streaming:
            return answer.status_code, answer.content
        return answer.status_code, b"".join([piece async for piece in answer])

    return async_to_sync(stream)()


def test_an_upload_becomes_a_provider_with_models_and_a_preset(admin: Client) -> None:
    answer = upload(admin, a_document(), "My recording")
    provider = Provider.objects.get(name="My recording")
    assert answer.url == provider.get_absolute_url()
    assert provider.endpoint == f"{settings.INTERNAL_URL}/cassettes/my-recording/v1"
    model = LanguageModel.objects.get(provider=provider)
    assert (model.name, model.speaks) == ("m", "nous")
    assert model.preset is not None
    assert (model.preset.system_prompt, model.preset.tools) == ("Be kind.", ["calculate"])
    assert model.preset.starters == ["hello"]
    page = admin.get(answer.url).content.decode()
    assert "1 recorded answer" in page
    assert "/cassettes/my-recording/v1" in page


def test_it_answers_with_the_recorded_bytes(admin: Client) -> None:
    upload(admin, a_document())
    provider = Provider.objects.get(name="A test")
    assert ask(provider, [SYSTEM, *HELLO]) == (200, HI.encode())
    status, body = ask(provider, HELLO)
    assert status == 404
    assert json.loads(body)["error"]["nearest"] == "turn 1, round 1"


def test_whoever_does_not_show_its_key_is_refused(admin: Client) -> None:
    upload(admin, a_document())
    provider = Provider.objects.get(name="A test")
    assert ask(provider, HELLO, Authorization="Bearer wrong")[0] == 401
    assert ask(Provider(name="Nobody", api_key=""), HELLO)[0] == 401


def test_the_messages_api_is_served_to_a_model_that_speaks_it(admin: Client) -> None:
    upload(admin, a_document(protocol="anthropic", model="claude"), "Claude")
    provider = Provider.objects.get(name="Claude")
    model = LanguageModel.objects.get(provider=provider)
    assert (provider.protocol, model.speaks) == ("anthropic", "anthropic")
    status, body = ask(
        provider, [SYSTEM, *HELLO], "messages", Authorization="", **{"X-Api-Key": provider.api_key}
    )
    assert (status, body) == (200, HI.encode())


def test_a_name_without_a_plain_letter_has_a_url_too() -> None:
    provider = builtin.add(a_document(), "数据库")
    assert provider.endpoint.endswith(f"/cassettes/{provider.public_id.hex}/v1")
    assert ask(provider, [SYSTEM, *HELLO])[0] == 200


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "The file is not JSON"),
        (written(document()), "has no recorded answers"),
        (
            written(
                document(
                    [generation(HELLO, response(HI))],
                    [generation(HELLO, response(HI), protocol="anthropic")],
                )
            ),
            "speaks one of them",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(
    admin: Client, content: bytes, sentence: str
) -> None:
    answer = upload(admin, content)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not Provider.objects.exists()
    assert not Preset.objects.exists()


def test_two_cassettes_of_one_url_are_refused() -> None:
    builtin.add(a_document(), "My recording")
    with pytest.raises(Rejected, match="Choose another name"):
        builtin.add(a_document(), "my-recording")


def test_one_that_is_too_large_is_refused(admin: Client, settings: Any) -> None:
    settings.CASSETTE_BYTES = 100
    answer = upload(admin, a_document())
    assert (answer.status_code, Provider.objects.count()) == (422, 0)
    assert "the most that a cassette has" in answer.content.decode()


def test_only_admins_upload(client: Client) -> None:
    client.force_login(a_user("somebody"))
    assert upload(client, a_document()).status_code == 403
    assert client.get(ADDRESS).status_code == 403
    assert not Provider.objects.exists()


def test_the_walkthrough_is_not_shadowed() -> None:
    walkthrough = Provider.objects.create(name="Walkthrough", kind="cassette", api_key="a key")
    builtin.add(a_document(), "Another")
    assert walkthrough.endpoint.endswith("/cassettes/walkthrough/v1")
    status, body = ask(walkthrough, HELLO)
    assert (status, b"walkthrough" in body) == (200, True)
