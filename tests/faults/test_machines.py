"""Workspaces of two `tools` workers that share no folder: whoever takes a call has the files."""

import json
from collections.abc import Iterator

import pytest

from tests.faults.browser import Browser
from tests.faults.machines import TOOLS, Machines, object_storage, prepared_machines

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def prepared() -> Iterator[Machines]:
    with prepared_machines() as machines:
        yield machines


@pytest.fixture(scope="module")
def storage() -> Iterator[dict[str, str]]:
    with object_storage() as variables:
        yield variables


@pytest.fixture
def pinned(prepared: Machines) -> Machines:
    prepared.start_all(WORKSPACES="pinned")
    return prepared


@pytest.fixture
def stored(prepared: Machines, storage: dict[str, str]) -> Machines:
    prepared.start_all(**storage)
    return prepared


class Chat:
    """A conversation whose every message is one call of a tool."""

    def __init__(self, machines: Machines, tab: Browser) -> None:
        self.machines, self.tab = machines, tab

    def begin(self, name: str, **arguments: object) -> str:
        text = f"call {name} {json.dumps(arguments)}"
        key = self.tab.send(self.machines.model, text)
        self.tab.conversation = self.tab.accepted[key]["conversation"]
        return key

    def result(self, key: str, seconds: float = 45) -> str:
        self.tab.until_over(key, seconds)
        (result,) = self.machines.results(key)
        return result

    def call(self, name: str, **arguments: object) -> str:
        return self.result(self.begin(name, **arguments))

    @property
    def id(self) -> str:
        assert self.tab.conversation is not None
        return self.tab.conversation


def opened(machines: Machines) -> Browser:
    return Browser(machines.url, machines.cookies["owner"])


def other(machine: str) -> str:
    return next(name for name in TOOLS if name != machine)


def assert_page_has(machines: Machines, chat: Chat, name: str, content: str) -> None:
    """The web process, whose machine has no workspace, lists and sends the file, to nobody else."""
    files = f"/c/{chat.id}/files/"
    assert not (machines.home("web") / "workspaces" / chat.id).exists()
    status, listed = machines.get(files)
    assert status == 200 and name.encode() in listed
    assert machines.get(f"{files}download?path={name}") == (200, content.encode())
    assert machines.get(f"{files}preview?path={name}")[1].count(content.encode()) == 1
    assert machines.get(f"{files}download?path={name}", "outsider")[0] == 404


def test_pinned_calls_find_the_files_and_the_state_of_those_before(pinned: Machines) -> None:
    with opened(pinned) as tab:
        chat = Chat(pinned, tab)
        assert "Wrote" in chat.call("write_file", path="a.txt", content="first")
        for count in range(1, 5):
            assert chat.call("counting-count") == f"count {count}"
            assert "first" in chat.call("read_file", path="a.txt")
        assert_page_has(pinned, chat, "a.txt", "first")
        assert pinned.upload(chat.id, "b.txt", b"from the page" * 200_000) == 201
        assert "from the page" in chat.call("read_file", path="b.txt")


def test_pinned_calls_wait_for_their_machine_and_find_it_as_it_was(pinned: Machines) -> None:
    with opened(pinned) as tab:
        chat = Chat(pinned, tab)
        chat.call("write_file", path="a.txt", content="first")
        machine = pinned.place(chat.id)
        pinned.kill(machine)
        key = chat.begin("read_file", path="a.txt")
        pinned.start(machine)
        assert "first" in chat.result(key)
        assert pinned.place(chat.id) == machine


def test_stored_files_are_there_on_whichever_machine(stored: Machines) -> None:
    with opened(stored) as tab:
        chat = Chat(stored, tab)
        chat.call("write_file", path="a.txt", content="first")
        machine = stored.place(chat.id)
        assert_page_has(stored, chat, "a.txt", "first")
        assert stored.upload(chat.id, "b.txt", b"from the page") == 201
        stored.kill(machine)
        assert "first" in chat.call("read_file", path="a.txt")
        assert "from the page" in chat.call("read_file", path="b.txt")
        assert stored.place(chat.id) == other(machine)
        chat.call("write_file", path="a.txt", content="second")
        assert_page_has(stored, chat, "a.txt", "second")


def test_stored_files_go_to_the_others_at_once_when_a_machine_leaves(stored: Machines) -> None:
    with opened(stored) as tab:
        chat = Chat(stored, tab)
        chat.call("write_file", path="a.txt", content="first")
        machine = stored.place(chat.id)
        stored.stop(machine)
        assert stored.place(chat.id) == ""
        assert "first" in chat.call("read_file", path="a.txt")
        assert stored.place(chat.id) == other(machine)
