"""Asking an endpoint for its models: the shapes of the services, and what is no list at all."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.stub import Stub
from chat.errors import Rejected
from chat.models import Provider
from chat.providers import listing
from chat.providers.catalogue import ListedModel, read
from chat.tests.providers.conftest import CANARY
from chat.tests.providers.scripted import Asked, Reply, scripted

OPENROUTER = {
    "id": "qwen/qwen3-235b-a22b",
    "name": "Qwen: Qwen3 235B A22B",
    "context_length": 40960,
    "architecture": {"input_modalities": ["text", "image"]},
    "pricing": {
        "prompt": "0.00000018",
        "completion": "0.00000054",
        "input_cache_read": "0.00000009",
    },
    "supported_parameters": ["tools", "temperature"],
}
SHAPES: list[tuple[str, Any, ListedModel]] = [
    (
        "OpenAI",
        {"object": "list", "data": [{"id": "gpt-x", "object": "model"}]},
        ListedModel("gpt-x"),
    ),
    (
        "OpenRouter",
        {"data": [OPENROUTER]},
        ListedModel(
            id="qwen/qwen3-235b-a22b",
            label="Qwen: Qwen3 235B A22B",
            context_window=40960,
            price_in="0.18",
            price_cached="0.09",
            price_out="0.54",
            takes_images=True,
            takes_tools=True,
        ),
    ),
    (
        "Anthropic",
        {
            "data": [
                {
                    "type": "model",
                    "id": "claude-x",
                    "display_name": "Claude X",
                    "max_input_tokens": 200_000,
                    "capabilities": {"image_input": {"supported": True}},
                }
            ],
            "has_more": False,
        },
        ListedModel("claude-x", "Claude X", 200_000, takes_images=True),
    ),
    (
        "vLLM",
        {"data": [{"id": "Qwen/Qwen3-8B", "max_model_len": 32768}]},
        ListedModel("Qwen/Qwen3-8B", context_window=32768),
    ),
    (
        "llama.cpp",
        {
            "models": [{"name": "ignored"}],
            "data": [{"id": "qwen.gguf", "meta": {"n_ctx_train": 40960}}],
        },
        ListedModel("qwen.gguf", context_window=40960),
    ),
    ("Ollama", {"models": [{"name": "千问:8b", "model": "千问:8b"}]}, ListedModel("千问:8b")),
    (
        "Together",
        [{"id": "m", "display_name": "M", "pricing": {"input": 0.2, "output": 1}}],
        ListedModel("m", "M", price_in="0.2", price_out="1"),
    ),
]


@pytest.mark.parametrize(("service", "answer", "model"), SHAPES, ids=[s[0] for s in SHAPES])
def test_the_shapes_of_the_services_are_read(service: str, answer: Any, model: ListedModel) -> None:
    assert read(answer) == [model]


@pytest.mark.parametrize(
    "item",
    [
        {"id": "m", "context_length": "many", "pricing": "free", "architecture": 7},
        {"id": "m", "context_length": -5, "pricing": {"prompt": "NaN", "completion": [1]}},
        {"id": "m", "context_length": True, "pricing": {"prompt": "1e99"}, "capabilities": None},
        {"id": "m", "name": 9, "context_length": 10**30, "pricing": {"prompt": "-1"}},
    ],
)
def test_what_is_not_as_expected_is_left_out(item: Any) -> None:
    assert read({"data": [item, item, {"id": ""}, {"no": "id"}, None]}) == [ListedModel("m")]


def test_an_endpoint_is_asked_and_its_list_is_kept(provider: Provider, stub: Stub) -> None:
    listing.refresh(provider)
    provider.refresh_from_db()
    assert "stub-n20" in [model.id for model in listing.stored(provider)]
    assert provider.listed_at is not None
    assert stub.requests[-1].path == "/v1/models"


def test_what_is_stored_comes_back_as_it_was() -> None:
    for _, answer, model in SHAPES:
        assert ListedModel.from_stored(read(answer)[0].stored()) == model
    assert ListedModel.from_stored("plain-id") == ListedModel("plain-id")


REFUSALS: list[tuple[Reply, str]] = [
    (Reply(b"<html>hello</html>"), "did not answer with a list"),
    (Reply(b""), "did not answer with a list"),
    (Reply({"data": {"id": "m"}}), "did not answer with a list"),
    (Reply(b"[" * 100_000), "did not answer with a list"),
    (Reply(b'{"data": ["\xff"]}'), "did not answer with a list"),
    (Reply({"data": []}), "lists no models"),
    (Reply(b"x" * (6 * 1024 * 1024)), "more than 5 MB"),
    (Reply({"error": {"message": f"bad {CANARY}"}}, status=401), "rejected the API key"),
    (Reply(b"", status=404), "does not list its models"),
    (Reply(b"", status=503), "reported an internal error"),
    (Reply(b"", status=302, headers={"Location": "http://127.0.0.1:1/"}), "redirect"),
]


@pytest.mark.parametrize(("reply", "sentence"), REFUSALS)
def test_what_is_no_list_is_said_in_a_sentence(
    provider: Provider, reply: Reply, sentence: str
) -> None:
    provider.listed = ["known before"]
    with scripted(lambda _: reply) as server, pytest.raises(Rejected) as refused:
        provider.base_url = server.base_url
        listing.refresh(provider)
    assert sentence in str(refused.value)
    assert CANARY not in str(refused.value)
    assert provider.listed == ["known before"]


def test_a_server_that_is_not_there_is_said_in_a_sentence(provider: Provider) -> None:
    provider.base_url = "http://127.0.0.1:1/v1"
    with pytest.raises(Rejected, match="could not be reached"):
        listing.ask(provider)


@pytest.mark.parametrize("key", [f"{CANARY}\nX: y", f"{CANARY} 钥匙"])
def test_a_key_that_no_header_can_carry_is_not_repeated(provider: Provider, key: str) -> None:
    provider.api_key = key
    with pytest.raises(Rejected) as refused:
        listing.ask(provider)
    assert CANARY not in str(refused.value)


def test_a_key_that_a_list_repeats_is_not_kept(provider: Provider) -> None:
    with scripted(lambda asked: Reply({"data": [{"id": f"gpt-{CANARY}"}]})) as server:
        provider.base_url = server.base_url
        listing.refresh(provider)
    assert provider.listed[0]["id"].startswith("gpt-[redacted")
    assert CANARY not in str(provider.listed)


HEADERS: list[tuple[str, Callable[[Asked], bool]]] = [
    ("openai", lambda asked: asked.headers["authorization"] == f"Bearer {CANARY}"),
    ("anthropic", lambda asked: asked.headers["x-api-key"] == CANARY),
]


@pytest.mark.parametrize(("kind", "shows_key"), HEADERS)
def test_the_key_goes_where_the_service_looks_for_it(
    provider: Provider, kind: str, shows_key: Callable[[Asked], bool]
) -> None:
    provider.kind = kind
    with scripted(lambda _: Reply({"data": [{"id": "m"}]})) as server:
        provider.base_url = server.base_url
        listing.ask(provider)
    assert shows_key(server.asked[0])
    assert server.asked[0].path.partition("?")[0] == "/v1/models"
