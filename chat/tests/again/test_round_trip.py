"""Trace, cassette, endpoint, product: the same bytes all the way round."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from chat.cassettes.library import Library
from chat.cassettes.reading import read
from chat.cassettes.server import application, running
from chat.models import LanguageModel, Provider, Turn
from chat.tests.again.conftest import exported
from tracing.export import trace_json
from tracing.journal.trace_rounds import rounds

pytestmark = pytest.mark.long

Ask = Callable[..., Turn]
Make = Callable[..., LanguageModel]


def exchanges(turn: Turn) -> list[Any]:
    """Request, status and response of every attempt of the turn."""
    assert turn.trace is not None
    messages = [
        (generation["request"], generation["response"])
        for round_ in rounds(turn.trace)
        for generation in trace_json.describe_round(round_)["generations"]
    ]
    return [
        (json.loads(request["body"] or ""), response["status"], response["body"])
        for request, response in messages
        if request is not None and response is not None
    ]


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("stub-n40-s7", "native"),
        ("stub-t2-k2-n20", "native"),
        ("stub-t2-k2-n20-nous", "nous"),
        ("stub-t2-k2-n20", "functions"),
        ("stub-n20-f429-w0-x1", "native"),
        ("stub-n20-feof-x1", "native"),
    ],
)
def test_the_product_reads_from_a_cassette_what_it_read_from_the_model(
    stub_model: Make, ask: Ask, settings: Any, name: str, dialect: str
) -> None:
    settings.RETRY_SECONDS = 0
    model = stub_model(name, dialect=dialect)
    recorded = ask(model, "hello")
    assert recorded.trace is not None
    library = Library(read(exported(recorded.trace)))
    with running(application(library, speed=0)) as url:
        Provider.objects.filter(pk=model.provider_id).update(base_url=f"{url}/v1")
        again = ask(model, "hello")
    assert exchanges(again) == exchanges(recorded)
    assert again.status == recorded.status == "done"
