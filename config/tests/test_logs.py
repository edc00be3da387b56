"""The log of a running process, as `settings.LOGGING` sets it up."""

import io
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from config.logs import WithoutTraces


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the handler of the settings writes."""
    handlers: Any = settings.LOGGING["handlers"]
    assert handlers["stderr"]["filters"] == ["without_traces"]
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(WithoutTraces())
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


@pytest.mark.django_db
def test_a_refusal_is_a_line_without_a_traceback(client: Client, log: io.StringIO) -> None:
    client.force_login(User.objects.create_user("ada"))
    assert client.get("/people/").status_code == 403

    assert "Forbidden (Permission denied): /people/" in log.getvalue()
    assert "Traceback" not in log.getvalue()


def test_an_error_of_the_server_keeps_its_traceback(log: io.StringIO) -> None:
    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("django.request").exception("Internal Server Error: /")

    assert "Traceback" in log.getvalue()
