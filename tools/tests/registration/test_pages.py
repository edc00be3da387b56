"""Who may see and change servers, and what the pages show and never show."""

from collections.abc import Iterator

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from tests.brokers import ringing
from tests.signing_in import signed_in
from tools.errors import FailureKind
from tools.models import Server, ServerTool

pytestmark = pytest.mark.django_db

CANARY = "canary-7d1f"
STDIO = {
    "name": "files",
    "transport": "stdio",
    "command": "npx",
    "args": '-y "@scope/server files" "{workspace}"',
    "env_set": f"TOKEN={CANARY}\nMODE=a=b",
    "timeout_s": "30",
    "mode": "auto",
    "enabled": "on",
}
HTTP = {
    "name": "remote",
    "transport": "http",
    "url": "https://mcp.example.org/mcp",
    "headers_set": f"Authorization: Bearer {CANARY}",
    "timeout_s": "30",
    "mode": "auto",
    "enabled": "on",
}


@pytest.fixture(autouse=True)
def broker() -> Iterator[Celery]:
    with ringing() as app:
        yield app


@pytest.fixture
def admin() -> Client:
    return signed_in(User.objects.create_user("admin", is_staff=True, is_superuser=True))


@pytest.fixture
def outsider() -> Client:
    return signed_in(User.objects.create_user("outsider"))


@pytest.fixture
def server() -> Server:
    return Server.objects.create(
        name="tested", command="sleep", args=["1 2"], env={"TOKEN": CANARY}
    )


def routes(server: Server) -> list[tuple[str, str]]:
    get = [
        *("servers", "register"),
        *("server", "status", "edit"),
    ]
    post = ["register", "edit", "test", "delete"]
    return [("get", path(name, server)) for name in get] + [
        ("post", path(name, server)) for name in post
    ]


def path(name: str, server: Server) -> str:
    args = [] if name in ("servers", "register") else [server.public_id]
    return reverse(f"tools:{name}", args=args)


def test_everyone_but_staff_can_change_nothing_and_nothing_starts(
    outsider: Client, server: Server
) -> None:
    Server.objects.update(shared=Server.Shared.STAFF)
    for method, url in routes(server):
        if url != reverse("tools:servers"):
            status = getattr(outsider, method)(url, STDIO).status_code
            assert status in (403, 404), (method, url)
    server.refresh_from_db()
    assert Server.objects.count() == 1
    assert server.check_state == Server.Check.IDLE


def test_who_is_not_signed_in_is_sent_to_the_sign_in(client: Client, server: Server) -> None:
    for method, url in routes(server):
        response = getattr(client, method)(url, STDIO)
        assert response.status_code == 302, (method, url)
        assert "next=" in response["Location"]
    assert Server.objects.count() == 1


def test_changing_needs_a_csrf_token(server: Server) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    assert client.post(path("delete", server)).status_code == 403
    assert Server.objects.count() == 1


def test_registering_saves_and_asks_for_a_check(admin: Client) -> None:
    response = admin.post(reverse("tools:register"), STDIO)
    server = Server.objects.get()
    assert response["Location"] == server.get_absolute_url()
    assert server.args == ["-y", "@scope/server files", "{workspace}"]
    assert server.env == {"TOKEN": CANARY, "MODE": "a=b"}
    assert server.check_state == Server.Check.ASKED


def test_a_server_over_http_is_registered_with_its_headers(admin: Client) -> None:
    admin.post(reverse("tools:register"), HTTP)
    assert Server.objects.get().headers == {"Authorization": f"Bearer {CANARY}"}


def test_a_whole_command_line_is_taken_apart(admin: Client) -> None:
    line = {"command": "uvx mcp-server-time --local-timezone 'Asia/Shanghai'", "args": ""}
    admin.post(reverse("tools:register"), STDIO | line)
    server = Server.objects.get()
    assert (server.command, server.args[-1]) == ("uvx", "Asia/Shanghai")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "Has Spaces"}, "Use lower-case letters"),
        ({"name": "tested"}, "already exists"),
        ({"command": ""}, "needs a command"),
        ({"args": '"open'}, "This is not a command line"),
        ({"env_set": f"{CANARY}"}, "Write each line as NAME=value"),
        ({"env_set": f"BAD NAME={CANARY}"}, "Write each line as NAME=value"),
        ({"timeout_s": "0"}, "greater than or equal to 1"),
        ({"transport": "http", "url": ""}, "needs its URL"),
        ({"transport": "http", "url": "ftp://x/"}, "begins with https://"),
        ({"transport": "http", "url": "https://x/", "headers_set": "nope"}, "as NAME:value"),
        ({"transport": "carrier-pigeon"}, "Select a valid choice"),
    ],
)
def test_a_form_that_does_not_fit_says_why(
    admin: Client, server: Server, fields: dict[str, str], sentence: str
) -> None:
    response = admin.post(reverse("tools:register"), STDIO | fields)
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert Server.objects.count() == 1


def test_what_is_missing_in_the_lists_is_told(admin: Client, server: Server) -> None:
    Server.objects.update(list_notes=["The list of tools was cut after 100 pages."])
    assert "cut after 100 pages" in admin.get(path("server", server)).content.decode()


def test_secrets_are_never_shown_again(admin: Client, server: Server) -> None:
    for name in ("servers", "server", "status", "edit"):
        assert CANARY not in admin.get(path(name, server)).content.decode()
    assert "Remove TOKEN" in admin.get(path("edit", server)).content.decode()


def test_secrets_are_encrypted_in_the_database(server: Server) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT env, headers FROM tools_server")
        assert CANARY not in str(cursor.fetchall())


def test_an_edit_keeps_secrets_that_are_not_named(admin: Client, server: Server) -> None:
    admin.post(path("edit", server), STDIO | {"env_set": "MORE=1"})
    server.refresh_from_db()
    assert server.env == {"TOKEN": CANARY, "MORE": "1"}


def test_an_edit_marks_what_is_a_secret_and_what_is_none(admin: Client, server: Server) -> None:
    Server.objects.update(env={"TOKEN": CANARY, "REGION": "avalon"})
    ticked = {"env_set": "", "masked_too": ["REGION"], "masked_not": ["TOKEN"]}
    admin.post(path("edit", server), STDIO | ticked)
    server.refresh_from_db()
    assert server.marks == {"REGION": True, "TOKEN": False}
    assert server.config().secrets == ("avalon",)
    admin.post(path("edit", server), STDIO | {"env_set": ""})
    server.refresh_from_db()
    assert server.config().secrets == (CANARY,)


def test_an_edit_removes_the_secrets_that_are_ticked(admin: Client, server: Server) -> None:
    admin.post(path("edit", server), STDIO | {"env_set": "", "env_remove": ["TOKEN"]})
    server.refresh_from_db()
    assert server.env == {}


def test_headers_are_not_sent_to_another_host_after_an_edit(admin: Client) -> None:
    admin.post(reverse("tools:register"), HTTP)
    server = Server.objects.get()
    moved = HTTP | {"url": "https://elsewhere.example.net/mcp", "headers_set": ""}
    response = admin.post(path("edit", server), moved)
    assert "The URL has changed: write Authorization again" in response.content.decode()
    server.refresh_from_db()
    assert server.url == HTTP["url"]


def test_headers_do_not_reach_another_host_by_way_of_a_program(admin: Client) -> None:
    admin.post(reverse("tools:register"), HTTP)
    server = Server.objects.get()
    Server.objects.update(headers_url="")  # as it was stored before there was the column
    admin.post(path("edit", server), STDIO | {"url": HTTP["url"], "headers_set": ""})
    server.refresh_from_db()
    assert server.transport == "stdio"
    moved = HTTP | {"url": "https://elsewhere.example.net/mcp", "headers_set": ""}
    response = admin.post(path("edit", server), moved)
    assert "The URL has changed: write Authorization again" in response.content.decode()


def test_headers_stay_when_only_the_path_changes(admin: Client) -> None:
    admin.post(reverse("tools:register"), HTTP)
    server = Server.objects.get()
    url = HTTP["url"] + "/v2"
    admin.post(path("edit", server), HTTP | {"url": url, "headers_set": ""})
    server.refresh_from_db()
    assert (server.url, list(server.headers)) == (url, ["Authorization"])


def test_test_asks_for_a_check(admin: Client, server: Server) -> None:
    admin.post(path("test", server))
    server.refresh_from_db()
    assert server.check_state == Server.Check.ASKED


def test_a_deleted_server_takes_its_tools_along(admin: Client, server: Server) -> None:
    ServerTool.objects.create(server=server, name="t", position=0, input_schema={}, hash="x")
    admin.post(path("delete", server))
    assert not Server.objects.exists()
    assert not ServerTool.objects.exists()


def test_what_a_server_says_is_text_and_not_markup(admin: Client, server: Server) -> None:
    attack = "<script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}"
    Server.objects.update(
        server_name=attack,
        instructions=attack,
        last_stderr=attack,
        last_error=attack,
        check_state="failed",
        tools_listed="2026-01-01T00:00Z",
    )
    ServerTool.objects.create(
        server=server,
        name=attack,
        position=0,
        description=attack,
        input_schema={"description": attack},
        hash="x",
    )
    shown = admin.get(path("server", server)).content.decode()
    assert "<script>alert" not in shown
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown
    assert shown.count("&lt;script&gt;alert(1)") >= 6


@pytest.mark.parametrize(
    ("check_state", "checking"), [("asked", "yes"), ("running", "yes"), ("failed", "no")]
)
def test_the_status_says_whether_to_ask_again(
    admin: Client, server: Server, check_state: str, checking: str
) -> None:
    Server.objects.update(check_state=check_state, check_changed="2999-01-01T00:00Z")
    shown = admin.get(path("status", server)).content.decode()
    assert f'data-checking="{checking}"' in shown


def test_a_check_that_never_came_back_is_not_waited_for(admin: Client, server: Server) -> None:
    Server.objects.update(check_state="running", check_changed="2026-01-01T00:00Z")
    shown = admin.get(path("status", server)).content.decode()
    assert 'data-checking="no"' in shown
    assert "No result yet. Check that the worker for tools is running" in shown


def test_an_empty_list_says_what_servers_are_for(admin: Client) -> None:
    assert "No server is registered" in admin.get(reverse("tools:servers")).content.decode()


def test_pages_are_not_cached(admin: Client, server: Server) -> None:
    assert "no-store" in admin.get(path("server", server))["Cache-Control"]


def test_the_admin_finds_servers_and_shows_no_secret(server: Server) -> None:
    client = signed_in(User.objects.create_superuser("root"))
    listed = client.get("/admin/tools/server/", {"q": "tested"})
    changed = client.get(f"/admin/tools/server/{server.pk}/change/")
    tools = client.get("/admin/tools/servertool/", {"q": "x"})
    assert [listed.status_code, changed.status_code, tools.status_code] == [200, 200, 200]
    assert "tested" in listed.content.decode()
    assert CANARY not in listed.content.decode() + changed.content.decode()


def test_a_failed_check_says_what_to_do(admin: Client) -> None:
    error = "answered HTTP 404 Not Found"
    server = Server.objects.create(
        name="far",
        transport="http",
        url="https://e.org",
        check_state="failed",
        last_error=error,
        last_error_kind=FailureKind.HTTP_STATUS,
        last_error_status=404,
    )
    page = admin.get(server.get_absolute_url()).content.decode()
    assert f"No connection: {error}. Check the path (often /mcp)." in page
