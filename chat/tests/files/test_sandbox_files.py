"""Files between people and the sandbox's user, who is another one where the server is root."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from chat import workspaces
from chat.models import Conversation
from tests.responses import body_of
from tools.workspace import sandbox
from tools.workspace.sandbox import Limits

pytestmark = [pytest.mark.process, pytest.mark.django_db]


def _upload(page: Client, url: str, name: str, content: bytes) -> Any:
    fields = {"file": SimpleUploadedFile("file", content), "name": name, "taken": "replace"}
    return page.post(f"{url}upload", fields)


def _download(page: Client, url: str, name: str) -> bytes:
    return body_of(page.get(f"{url}download?path={name}"))


def _run(workspace: Path, script: str) -> sandbox.Outcome:
    return sandbox.run(["/bin/sh", "-c", script], workspace, Limits())


def test_a_command_changes_what_was_uploaded_and_a_person_what_a_command_made(
    page: Client, url: str, conversation: Conversation
) -> None:
    workspace = workspaces.folder(conversation.public_id)
    assert _upload(page, url, "a.txt", b"one\n").status_code == 201
    assert _run(workspace, "echo two >> a.txt; umask 077; mkdir d; echo kept > d/b.txt").code == 0
    assert _download(page, url, "a.txt") == b"one\ntwo\n"
    assert _download(page, url, "d/b.txt") == b"kept\n"
    assert _upload(page, f"{url}", "a.txt", b"three\n").status_code == 201
    assert _run(workspace, "echo four >> a.txt").code == 0
    assert _download(page, url, "a.txt") == b"three\nfour\n"
    assert page.post(f"{url}remove?path=d").status_code == 204
    assert not (workspace / "d").exists()
