"""Probes of the web process, through the ASGI application."""

import json

import pytest
from asgiref.testing import ApplicationCommunicator

from config.asgi import application
from config.release import version


async def ask(path: str, host: str = "10.1.2.3") -> tuple[int, dict[str, object]]:
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", host.encode())],
    }
    caller = ApplicationCommunicator(application, scope)
    await caller.send_input({"type": "http.request"})
    status = (await caller.receive_output(5))["status"]
    return status, json.loads((await caller.receive_output(5))["body"])


@pytest.mark.asyncio
async def test_a_probe_by_an_address_that_is_no_allowed_host_is_answered() -> None:
    assert await ask("/health/live") == (200, {"live": True, "version": version()})


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_a_web_process_is_ready_without_redis() -> None:
    status, facts = await ask("/health/ready")

    assert status == 200
    assert facts == {
        "ready": True,
        "database": True,
        "redis": False,
        "version": version(),
    }
