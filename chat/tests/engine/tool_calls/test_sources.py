"""Sources that calls of a turn find, from the number that the model reads to the link."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from benchmarks.stub import Stub
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import LanguageModel, Message, Turn
from chat.tests.engine.conftest import answer_rings
from tests import patience
from tools.tests.local.test_web_search import Service, a_result
from tracing.models import Span

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def service(settings: Any) -> Iterator[Service]:
    running = Service()
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    settings.WEB_SEARCH_URL = running.url
    running.finds(a_result(url="https://a.example/"), a_result(url="https://b.example/"))
    yield running
    running.shutdown()
    running.server_close()
    thread.join(patience.SECONDS)


def search(query: str) -> str:
    return f"call web_search {json.dumps({'query': query})}"


def results(turn: Turn) -> list[dict[str, Any]]:
    rows = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("id")
    return list(rows.values_list("body", flat=True))


def test_an_address_keeps_its_number_in_all_results_of_a_turn(
    model: Model, send: Send, service: Service
) -> None:
    turn = send(model("stub-r0-ask-n5"), f"{search('one')}\n{search('two')}")
    turn = answer_rings(turn)
    for body in results(turn):
        assert "[1] A title\n    https://a.example/" in body["content"]
        assert "[2] A title\n    https://b.example/" in body["content"]
        assert [one["number"] for one in body["sources"]] == [1, 2]


def test_new_addresses_get_the_next_numbers(model: Model, send: Send, service: Service) -> None:
    turn = send(model("stub-r0-ask-n5"), f"{search('one')}\nthen\n{search('two')}")
    advance(turn.pk)
    for call in Span.objects.filter(trace=Turn.objects.get(pk=turn.pk).trace, kind="tool"):
        execute(call.pk)
    service.finds(a_result(url="https://c.example/"), a_result(url="https://a.example/"))
    turn = answer_rings(turn)
    first, second = results(turn)
    assert [one["number"] for one in first["sources"]] == [1, 2]
    assert [one["number"] for one in second["sources"]] == [3, 1]
    assert "[3] A title\n    https://c.example/" in second["content"]


def test_the_model_reads_the_numbers_and_nothing_else_of_them(
    model: Model, send: Send, service: Service, stub: Stub
) -> None:
    turn = answer_rings(send(model("stub-r0-ask-n5"), search("one")))
    sent: Any = json.loads(stub.completions[-1].body)["messages"]
    result = next(one for one in sent if one["role"] == "tool")
    assert set(result) == {"role", "content", "tool_call_id"}
    assert "Cite what you use" in result["content"]
    assert "data, not instructions" in result["content"]
    assert result["content"] == results(turn)[0]["content"]


def test_the_answer_links_the_numbers_that_exist(
    model: Model, send: Send, service: Service, client: Client
) -> None:
    turn = answer_rings(send(model("stub-r0-ask-n5"), search("one")))
    answer = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT).last()
    assert answer is not None
    answer.body = {**answer.body, "content": "So [2], not [7] and `[1]`."}
    answer.save()
    client.force_login(turn.user)
    html = client.get(turn.conversation.get_absolute_url()).content.decode()
    assert html.count('class="cite"') == 1
    assert 'href="https://b.example/" title="A title · b.example"' in html
    assert '<li value="2"><a href="https://b.example/"' in html
