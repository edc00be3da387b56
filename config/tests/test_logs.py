"""Log lines as text and as JSON, and ids of requests in responses, lines and error pages."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client

from chat.tests.builders import a_user
from config import logs
from config.asgi import application
from config.request_ids import given
from config.supervisor.journal import Journal
from host.log_ids import current, log_ids, note


def line_of(formatter: logging.Formatter, text: str = "A message") -> str:
    return formatter.format(
        logging.makeLogRecord({"name": "chat.x", "msg": text, "levelname": "INFO"})
    )


def test_a_line_of_text_ends_with_its_ids() -> None:
    with log_ids(turn=7, user=3):
        assert line_of(logs.formatter()) == "INFO chat.x: A message [turn=7 user=3]"
    assert line_of(logs.formatter()) == "INFO chat.x: A message"


def test_a_line_of_json_has_ids_process_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_FORMAT", "json")
    with log_ids(turn=7), log_ids(request="r-1"):
        line = json.loads(line_of(logs.formatter(), "two\nlines"))

    assert (line["turn"], line["request"], line["message"]) == (7, "r-1", "two\nlines")
    assert {"time", "level", "logger", "process", "host", "pid"} <= line.keys()


def test_a_traceback_is_in_the_object_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_FORMAT", "json")
    try:
        raise ValueError("wrong")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
    line = logs.formatter().format(logging.makeLogRecord({"msg": "It failed", "exc_info": info}))

    assert "\n" not in line
    assert json.loads(line)["exc_info"].endswith("ValueError: wrong")


def test_what_becomes_known_within_is_known_outside_of_the_thread_that_noted_it() -> None:
    with log_ids(request="r-1"):
        note(user=lambda: 5)
        assert current() == {"request": "r-1", "user": 5}
    assert current() == {}


@pytest.mark.parametrize("value", [b"abc-123", b"Root=1-67891233-abcdef012345678912345678"])
def test_the_id_of_a_proxy_is_kept(value: bytes) -> None:
    assert given([(b"x-request-id", value)]) == value.decode()


@pytest.mark.parametrize("value", [b"", b"a b", b"x\r\ny", b"<script>", b"x" * 65, b"\xff"])
def test_an_id_that_is_no_plain_word_is_replaced(value: bytes) -> None:
    assert given([(b"x-request-id", value)]) == ""


async def answer(path: str, *headers: tuple[bytes, bytes]) -> tuple[dict[bytes, bytes], bytes]:
    """The headers and the body of what the whole application answers."""
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), *headers],
        "client": ["127.0.0.1", 1],
        "server": ["127.0.0.1", 80],
    }
    caller = ApplicationCommunicator(application, scope)
    await caller.send_input({"type": "http.request"})
    start = await caller.receive_output(10)
    body, more = b"", True
    while more:
        part = await caller.receive_output(10)
        body, more = body + part.get("body", b""), part.get("more_body", False)
    return dict(start["headers"]), body


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_a_page_that_does_not_exist_has_its_id_in_header_and_text() -> None:
    headers, body = await answer("/nothing", (b"x-request-id", b"from-the-proxy"))

    assert headers[b"x-request-id"] == b"from-the-proxy"
    assert b"<code>from-the-proxy</code>" in body


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_each_request_without_an_id_is_given_its_own() -> None:
    ids = {(await answer("/health"))[0][b"x-request-id"] for _ in range(2)}

    assert len(ids) == 2


def test_the_page_of_an_internal_error_has_the_id() -> None:
    with log_ids(request="r-500"):
        assert "<code>r-500</code>" in render_to_string("500.html")
    assert "<code>" not in render_to_string("500.html")


@pytest.mark.django_db
def test_a_request_of_somebody_has_the_users_id_and_no_name(client: Client) -> None:
    user: User = a_user()
    client.force_login(user)
    with log_ids():
        client.get("/settings/")
        assert current() == {"user": user.pk}


def test_the_supervisor_wraps_what_is_no_object_and_leaves_objects_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOG_FORMAT", "json")
    with log_ids(turn=7):
        made = line_of(logs.formatter())
    journal = Journal(tmp_path, "turns")
    journal.line("Traceback (most recent call last):")
    journal.line(made)

    printed = capsys.readouterr().out.splitlines()
    assert json.loads(printed[0])["message"] == "Traceback (most recent call last):"
    assert printed[1] == made
    assert (tmp_path / "turns.log").read_text().splitlines() == printed
