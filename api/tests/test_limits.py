"""Beyond a limit of a person every door answers 429, and says when to come again."""

from collections.abc import Iterator

import httpx2
import pytest
from django.contrib.auth.models import User

from chat.models import LanguageModel, QuotaRule, Turn
from chat.quotas import rules


@pytest.fixture
def one_turn_a_minute(owner: User) -> Iterator[None]:
    QuotaRule.objects.create(scope="everybody", kind=QuotaRule.Kind.TURNS_MINUTE, amount=1)
    rules.forget()
    yield
    rules.forget()


def refused(answer: httpx2.Response) -> bool:
    return answer.status_code == 429 and 1 <= int(answer.headers["Retry-After"]) <= 60


@pytest.mark.usefixtures("one_turn_a_minute")
def test_a_turn_of_the_api_beyond_a_limit(remote: httpx2.Client, echo: LanguageModel) -> None:
    body = {"text": "hello", "model": str(echo.public_id)}
    first, second = (remote.post("/api/turns", json=body) for _ in range(2))
    assert (first.status_code, refused(second)) == (201, True)
    assert second.json()["limit"] == "turns_minute"
    assert Turn.objects.count() == 1


@pytest.mark.usefixtures("one_turn_a_minute")
@pytest.mark.parametrize("path", ["chat/completions", "responses"])
def test_a_call_of_openais_api_beyond_a_limit(
    remote: httpx2.Client, echo: LanguageModel, path: str
) -> None:
    remote.post("/api/turns", json={"text": "hello", "model": str(echo.public_id)})
    asked = [{"role": "user", "content": "hi"}]
    name = "messages" if path == "chat/completions" else "input"
    body = {"model": f"{echo.provider.slug}/{echo.name}", name: asked}
    answer = remote.post(f"/v1/{path}", json=body)
    assert refused(answer), answer.text
    assert Turn.objects.count() == 1
