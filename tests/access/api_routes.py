"""Who may use which operation of `/api`: one rule an operation, and what is answered."""

from dataclasses import dataclass, field
from typing import Any

from tests.access.routes import MEMBERS, OWNER, PEOPLE, READERS, WRITERS
from tokens.models import Scope

SUPERUSER = frozenset({"superuser"})
FOREIGN = 404


@dataclass(frozen=True)
class ApiRule:
    """An operation: its scope, the row that its address names (`rows.Rows`), for whom it is, and
    the status for these; `foreign` is that for everybody else, and for an id of nobody."""

    scope: Scope
    of: str = ""
    status: int = 200
    who: frozenset[str] = OWNER
    body: Any = None
    foreign: int = FOREIGN
    # Statuses of single people.
    but: dict[str, int] = field(default_factory=dict)

    def expected(self, role: str) -> int:
        return self.but.get(role, self.status if role in self.who else self.foreign)


def _read(of: str = "", who: frozenset[str] = OWNER, status: int = 200, **more: Any) -> ApiRule:
    return ApiRule(Scope.READ, of, status, who if of else PEOPLE, **more)


def _change(
    of: str = "", body: Any = None, status: int = 200, who: frozenset[str] = OWNER, **more: Any
) -> ApiRule:
    return ApiRule(Scope.CHAT, of, status, who if of else PEOPLE, body, **more)


def _trace(of: str = "trace", status: int = 200) -> ApiRule:
    return ApiRule(Scope.TRACES, of, status, OWNER)


def _admin(status: int = 200, of: str = "") -> ApiRule:
    return ApiRule(Scope.ADMIN, of, status, SUPERUSER, foreign=403)


CONVERSATION, TURN = "/api/conversations/{id}", "/api/turns/{id}"
TRACE = "/api/traces/{id}"

RULES: dict[str, ApiRule] = {
    "GET /api/me": _read(),
    "GET /api/usage": _read(),
    "GET /api/conversations": _read(),
    "POST /api/conversations": _change(body={"title": "New"}, status=201),
    "POST /api/conversations/act": _change(body={"action": "pin", "ids": []}, status=422),
    f"GET {CONVERSATION}": _read("conversation", READERS),
    f"PATCH {CONVERSATION}": _change("conversation", {"title": "New"}),
    f"DELETE {CONVERSATION}": _change("conversation", status=204),
    f"GET {CONVERSATION}/settings": _read("conversation", READERS),
    f"PATCH {CONVERSATION}/settings": _change("conversation", {"tools": "assistant"}),
    f"GET {CONVERSATION}/export": _read("conversation"),
    f"GET {CONVERSATION}/messages": _read("conversation", READERS),
    f"GET {CONVERSATION}/turns": _read("conversation", READERS),
    f"GET {CONVERSATION}/events": _read("conversation", READERS),
    f"POST {CONVERSATION}/compact": _change("conversation", {}, status=201),
    f"GET {CONVERSATION}/files": _read("conversation", READERS),
    # The file is there for nobody.
    f"GET {CONVERSATION}/files/{{path}}": _read("conversation", READERS, status=404),
    f"PUT {CONVERSATION}/files/{{path}}": _change("conversation", {}, status=201),
    # What the PUT before it stored: files are not undone.
    f"DELETE {CONVERSATION}/files/{{path}}": _change("conversation", status=204),
    f"GET {CONVERSATION}/shares": _read("conversation"),
    f"POST {CONVERSATION}/shares": _change("conversation", {"group": "none"}, status=422),
    f"DELETE {CONVERSATION}/shares/{{share}}": _change("conversation", status=204),
    "GET /api/messages/{id}": _read("message", READERS),
    "POST /api/turns": _change(body={"text": ""}, status=422),
    f"GET {TURN}": _read("turn", READERS),
    f"PATCH {TURN}": _change("turn", {"text": "New"}, status=422, who=READERS),
    f"DELETE {TURN}": _change("turn", status=204),
    f"GET {TURN}/events": _read("turn", READERS),
    # Who may not stop it is told that nothing was changed.
    f"POST {TURN}/stop": _change("turn", {}, who=READERS),
    f"POST {TURN}/choose": _change("turn", {}, status=422),
    f"POST {TURN}/restore": _change("turn", {}, status=422, who=WRITERS),
    f"PUT {TURN}/feedback": _change("turn", {"rating": "up"}, status=422),
    f"DELETE {TURN}/feedback": _change("turn", status=204),
    "POST /api/calls/{id}/decision": _change("call", {"decision": "deny"}),
    "POST /api/questions/{id}/answer": _change("question", {"action": "decline"}),
    "POST /api/attachments": _change(body={}, status=422),
    "GET /api/attachments/{id}": _read("attachment"),
    "GET /api/attachments/{id}/content": _read("attachment"),
    "DELETE /api/attachments/{id}": _change("attachment", status=204),
    "GET /api/projects": _read(),
    "POST /api/projects": _change(body={"name": "New"}, status=201),
    "GET /api/projects/{id}": _read("project"),
    "PATCH /api/projects/{id}": _change("project", {"name": "New"}),
    "DELETE /api/projects/{id}": _change("project", status=204),
    "GET /api/projects/{id}/files": _read("project"),
    "POST /api/projects/{id}/files": _change("project", {}, status=422, foreign=422),
    "GET /api/project-files/{id}": _read("project_file"),
    "POST /api/project-files/{id}": _change("project_file", {}, status=422, foreign=422),
    "DELETE /api/project-files/{id}": _change("project_file", status=204),
    "GET /api/assistants": _read(),
    "POST /api/assistants": _change(body={"name": "New"}, status=201),
    "GET /api/assistants/{id}": _read("preset"),
    "PUT /api/assistants/{id}": _change("preset", {"name": "New"}),
    "DELETE /api/assistants/{id}": _change("preset", status=204),
    "GET /api/models": _read(),
    "GET /api/models/{id}": _read("model", PEOPLE),
    "GET /api/servers": _read(),
    "GET /api/tools": _read(),
    "GET /api/skills": _read(),
    "GET /api/prompts": _read(),
    "POST /api/prompts": _change(body={"name": "New", "text": "Hi"}, status=201),
    "GET /api/prompts/{id}": _read("prompt"),
    "PATCH /api/prompts/{id}": _change("prompt", {"name": "New"}),
    "DELETE /api/prompts/{id}": _change("prompt", status=204),
    "POST /api/prompts/{id}/fill": _read("prompt", body={"values": {}}),
    "GET /api/traces": ApiRule(Scope.TRACES, "", 200, PEOPLE),
    f"GET {TRACE}": _trace(),
    f"GET {TRACE}/rounds": _trace(),
    f"GET {TRACE}/rounds/{{number}}": _trace(),
    f"GET {TRACE}/document": _trace(),
    f"GET {TRACE}/cassette": _trace(),
    f"GET {TRACE}/spans/{{span}}/payloads/{{stage}}": _trace("payload"),
    # These change something, for which a token needs the scope `chat` too.
    f"POST {TRACE}/fork": ApiRule(Scope.TRACES, "trace", 403, PEOPLE, {}, foreign=403),
    "POST /api/traces/delete": ApiRule(Scope.TRACES, "", 422, PEOPLE, {"ids": []}),
    "GET /api/cassettes": _admin(),
    "POST /api/cassettes": ApiRule(Scope.ADMIN, "", 422, PEOPLE, {}),
    "DELETE /api/cassettes/{id}": ApiRule(Scope.ADMIN, "provider", 404, SUPERUSER, foreign=403),
    "GET /api/admin/people": _admin(),
    "GET /api/admin/audit": _admin(),
}
ROLES = sorted(PEOPLE | MEMBERS)
