"""What clients send wrongly, over HTTP: refused by its name, in OpenAI's shape."""

import base64
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx2
import openai
import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Conversation, LanguageModel, Turn
from limits.api import MAX_API_BODY_BYTES, MAX_API_MESSAGES
from tokens.models import Token

Named = Callable[[str], str]
USER: Any = {"role": "user", "content": "hello"}
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "a", "content": "4"}
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)


def image(url: str) -> Any:
    return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}


MESSAGES: list[Any] = [
    ([], "messages"),
    ("hello", "messages"),
    ([{"role": "robot", "content": "hello"}], "messages[0].role"),
    ([{"role": "function", "content": "hello"}], "messages[0].role"),
    ([{"role": "user", "content": 7}], "messages[0].content"),
    ([{"role": "user", "content": " "}], "messages"),
    ([{"role": "user", "content": "a\0b"}], "messages[0].content"),
    ([{"role": "user", "content": "a\ud800b"}], "messages[0].content"),
    ([USER, {"role": "assistant", "content": "hi"}], "messages"),
    ([USER, RESULT], "messages[1].tool_call_id"),
    ([USER, ASKS, USER], "messages[2]"),
    ([USER, ASKS, RESULT, RESULT], "messages[3].tool_call_id"),
    ([USER, {"role": "system", "content": "x"}, USER], "messages[1].role"),
    ([{**USER, "name": "me"}], "messages[0].name"),
    ([USER] * (MAX_API_MESSAGES + 1), "messages"),
    ([image("https://example.org/a.png")], "messages[0].content[0].image_url.url"),
    ([image("data:image/png;base64,&&")], "messages[0].content[0].image_url.url"),
    (
        [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}],
        "messages[0].content[0].type",
    ),
]


@pytest.fixture
def post(server: str, secret: str) -> Callable[..., httpx2.Response]:
    def send(path: str = "chat/completions", token: str = secret, **body: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{server}/v1/{path}"
        content = json.dumps(body).encode()
        return httpx2.post(url, content=content, headers=headers, timeout=30, trust_env=False)

    return send


def error(answer: httpx2.Response) -> dict[str, Any]:
    found: dict[str, Any] = answer.json()["error"]
    assert set(found) == {"message", "type", "param", "code"} and found["message"]
    return found


@pytest.mark.parametrize(("messages", "param"), MESSAGES)
def test_messages_that_are_no_conversation_are_refused(
    post: Callable[..., httpx2.Response], named: Named, messages: Any, param: str
) -> None:
    answer = post(model=named("stub"), messages=messages)
    assert (answer.status_code, error(answer)["param"]) == (400, param)
    assert not Conversation.objects.exists()


def test_a_model_that_does_not_exist_is_not_found(post: Callable[..., httpx2.Response]) -> None:
    answer = post(model="gpt-nothing", messages=[USER])
    assert (answer.status_code, error(answer)["code"]) == (404, "model_not_found")


def test_a_model_that_takes_no_images_is_named(
    post: Callable[..., httpx2.Response], named: Named
) -> None:
    url = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
    answer = post(model=named("stub"), messages=[image(url)])
    assert answer.status_code == 400 and "does not read images" in error(answer)["message"]


@pytest.mark.parametrize("more", [{"tools": [{"type": "function", "function": {"name": "f"}}]}])
def test_an_assistant_takes_no_tools_of_the_client(
    post: Callable[..., httpx2.Response], assistant: Callable[..., str], more: dict[str, Any]
) -> None:
    answer = post(model=assistant("stub"), messages=[USER], **more)
    assert (answer.status_code, error(answer)["param"]) == (400, "tools")


def test_without_a_valid_token_nothing_is_said(
    post: Callable[..., httpx2.Response], owner: User, token_of: Callable[..., str]
) -> None:
    past = timezone.now() - timedelta(seconds=1)
    expired = token_of(owner, ["chat"], expires=past)
    for token in ("rt_wrong", "x" * 5000, expired):
        answer = post(token=token, model="stub", messages=[USER])
        assert (answer.status_code, error(answer)["code"]) == (401, "invalid_api_key")


def test_a_token_needs_the_scope_chat(
    post: Callable[..., httpx2.Response], owner: User, token_of: Callable[..., str]
) -> None:
    answer = post(token=token_of(owner, ["read", "traces"]), model="stub", messages=[USER])
    assert (answer.status_code, error(answer)["code"]) == (403, "insufficient_scope")


def test_the_response_of_another_person_is_not_found(
    server: str, client: openai.OpenAI, named: Named, token_of: Callable[..., str]
) -> None:
    model = named("stub-echo")
    mine = client.responses.create(model=model, input="hello")
    other = User.objects.create_user("other")
    with openai.OpenAI(base_url=f"{server}/v1", api_key=token_of(other)) as theirs:
        with pytest.raises(openai.NotFoundError):
            theirs.responses.retrieve(mine.id)
        with pytest.raises(openai.NotFoundError):
            theirs.responses.delete(mine.id)
        with pytest.raises(openai.NotFoundError):
            theirs.responses.create(model=model, input="x", previous_response_id=mine.id)


def test_a_text_of_10_mb_is_refused_and_a_body_beyond_the_limit_too(
    post: Callable[..., httpx2.Response], named: Named
) -> None:
    long = post(model=named("stub"), messages=[{"role": "user", "content": "x" * 10_000_000}])
    assert long.status_code == 400 and "10,000,000" in error(long)["message"]
    beyond = post(model="stub", messages=[{"role": "user", "content": "x" * MAX_API_BODY_BYTES}])
    assert (beyond.status_code, error(beyond)["code"]) == (413, "request_too_large")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 100_000, b"\xff\xfe"])
def test_a_body_that_is_no_object_is_refused(server: str, secret: str, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {secret}"}
    url = f"{server}/v1/chat/completions"
    answer = httpx2.post(url, content=body, headers=headers, trust_env=False)
    assert answer.status_code == 400 and error(answer)


def test_a_parameter_that_an_admin_has_closed_is_named(
    post: Callable[..., httpx2.Response], named: Named, model: Any
) -> None:
    name = named("stub")
    LanguageModel.objects.update(open_parameters=["max_tokens"])
    for parameter in ("temperature", "presence_penalty"):
        answer = post(model=name, messages=[USER], **{parameter: 0.5})
        assert (answer.status_code, error(answer)["param"]) == (400, parameter)


def test_a_revoked_token_ends_a_stream(client: openai.OpenAI, named: Named) -> None:
    stream: Any = client.chat.completions.create(
        model=named("stub-r10-n120"),
        messages=[USER],
        stream=True,
    )
    next(iter(stream))
    Token.objects.get().revoke()
    with pytest.raises(openai.APIError, match="revoked"):
        list(stream)


def test_a_client_that_leaves_stops_its_turn(client: openai.OpenAI, named: Named) -> None:
    stream: Any = client.chat.completions.create(
        model=named("stub-r20-n60"),
        messages=[USER],
        stream=True,
    )
    for _ in range(3):
        next(iter(stream))
    stream.close()
    deadline = timezone.now() + timedelta(seconds=5)
    while not Turn.objects.exclude(stop_requested=None).exists() and timezone.now() < deadline:
        pass
    assert Turn.objects.get().stop_requested is not None


def test_a_turn_goes_on_without_its_client_if_that_is_asked(
    client: openai.OpenAI, named: Named
) -> None:
    stream: Any = client.chat.completions.create(
        model=named("stub-r50-n40"),
        messages=[USER],
        stream=True,
        extra_headers={"X-Roundtrip-On-Disconnect": "continue"},
    )
    next(iter(stream))
    stream.close()
    assert ended(Turn.objects.get()) == "done"


def test_a_call_that_needs_a_person_is_refused_if_that_is_asked(
    client: openai.OpenAI, assistant: Callable[..., str]
) -> None:
    helper = assistant("stub-t1", tools=["calculate"], policies=[["calculate", "ask"]])
    with pytest.raises(openai.ConflictError) as caught:
        client.chat.completions.create(
            model=helper,
            messages=[USER],
            extra_headers={"X-Roundtrip-Approval": "refuse"},
        )
    assert caught.value.code == "approval_required"
    assert ended(Turn.objects.get()) == "stopped"


def ended(turn: Turn) -> str:
    """The state in which the turn ends, within 10 s."""
    deadline = timezone.now() + timedelta(seconds=10)
    while turn.is_open and timezone.now() < deadline:
        turn.refresh_from_db()
    return str(turn.status)
