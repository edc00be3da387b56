"""Who may connect to the websocket, and what ends a connection."""

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.models import Session
from pytest_django.fixtures import Settings
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from chat.live import sockets
from chat.models import Turn
from chat.tests.live.tabs import Model, Open, Tab, connect_to
from tests.signing_in import session_cookie


def test_a_visitor_who_is_not_signed_in_is_refused(server: str, owner: User) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        connect_to(server, "", {})


def test_a_user_has_so_many_sockets_and_no_more(
    server: str, opened: Open, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "MAX_SOCKETS", 2)
    first, _ = opened(owner), opened(owner)
    with connect_to(server, session_cookie(owner), {}) as refused:
        assert Tab(refused).close_code() == 4429
    assert opened(User.objects.create_user("other")).ask(type="ping") == {"type": "pong"}
    first.socket.close()
    assert opened(owner).ask(type="ping") == {"type": "pong"}


def test_who_lacks_a_second_factor_gets_no_socket(
    server: str, owner: User, settings: Settings
) -> None:
    settings.MFA_REQUIRED = "everybody"
    with pytest.raises(InvalidStatus, match="403"):
        connect_to(server, session_cookie(owner), {})


@pytest.mark.parametrize("path", ["/", "/ws/", "/ws/chat", "/ws/chat/more/", "/nowhere"])
def test_an_unknown_address_is_refused(server: str, owner: User, path: str) -> None:
    url = server.replace("http", "ws") + path
    headers = {"Origin": server, "Cookie": session_cookie(owner)}
    with pytest.raises(InvalidStatus, match="403"):
        connect(url, additional_headers=headers, proxy=None)


@pytest.mark.parametrize("origin", ["http://elsewhere.example", "http://127.0.0.1:9", "null", ""])
def test_a_page_of_another_site_is_refused(server: str, owner: User, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        connect_to(server, session_cookie(owner), {"Origin": origin})


def test_a_logout_closes_the_socket_within_five_seconds(opened: Open, owner: User) -> None:
    tab = opened(owner)
    Session.objects.all().delete()
    assert tab.close_code() == 4403


@pytest.mark.parametrize("lost", ["permission", "staff", "superuser"])
def test_a_permission_that_is_taken_back_closes_the_socket(
    opened: Open, owner: User, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "RIGHTS_INTERVAL_S", 0.2)
    permission = Permission.objects.get(codename="view_trace")
    owner.user_permissions.add(permission)
    User.objects.update(is_staff=True, is_superuser=lost == "superuser")
    tab = opened(owner)
    assert tab.ask(type="ping")["type"] == "pong"
    if lost == "permission":
        owner.user_permissions.clear()
    else:
        User.objects.update(**{f"is_{lost}": False})
    assert tab.close_code() == 4403


def test_a_permission_that_is_given_leaves_the_socket_open(opened: Open, owner: User) -> None:
    User.objects.update(is_staff=True)
    tab = opened(owner)
    owner.user_permissions.add(Permission.objects.get(codename="view_trace"))
    answer = tab.ask(type="open", conversation=None)
    assert (answer["type"], answer["code"]) == ("error", "unknown")


def test_a_frame_after_the_rights_have_ended_is_not_obeyed(
    opened: Open, owner: User, model: Model
) -> None:
    name = model("stub-n5")
    tab = opened(owner)
    User.objects.update(is_active=False)
    tab.tell(type="send", key="late", conversation=None, model=name, text="hello")
    assert tab.close_code() == 4403
    assert not Turn.objects.exists()
