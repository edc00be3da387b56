"""Failures that were stored as a sentence alone have the kind that the sentence stood for."""

from importlib import import_module

import pytest

migration = import_module("tools.migrations.0012_failure_kinds")


@pytest.mark.parametrize(
    ("reason", "kind", "status"),
    [
        ("answered HTTP 404 Not Found", "http_status", 404),
        ("answered HTTP 302 Found and points to https://e.org/", "redirect", 302),
        ("answered with text/html, which is not MCP", "web_page", None),
        ("exited with code 1: HTTP 429", "exited", 1),
        ("was killed by SIGKILL", "killed", None),
        ("the command 'x' was not found", "command_not_found", None),
        ("cannot be reached: the host x was not found", "host_not_found", None),
        ("did something else", "", None),
    ],
)
def test_a_sentence_has_the_kind_that_it_stood_for(
    reason: str, kind: str, status: int | None
) -> None:
    assert migration.kind_and_status(reason) == (kind, status)


def test_of_a_call_only_the_servers_failures_count() -> None:
    assert migration.OF_SERVER.match("No connection to the server odd: exited with code 1.")
    assert not migration.OF_SERVER.match("Error: the page answered HTTP 404.")
