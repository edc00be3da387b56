"""Who may use which URL: one rule a route, and what is answered."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from django.contrib import admin
from django.urls import URLPattern, URLResolver, get_resolver

from chat.permissions import (
    CHANGE_PRESET,
    CHANGE_PROMPT_TEMPLATE,
    CHANGE_PROVIDER,
    CHANGE_QUOTA,
    CHANGE_SKILL,
)
from tools.permissions import ADD_PROGRAM, CHANGE_LOCAL_TOOL, CHANGE_SERVER
from tracing.permissions import VIEW_DASHBOARD, VIEW_TRACE

ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")

MEMBERS = frozenset({"reader", "writer"})
PEOPLE = MEMBERS | {"owner", "other", "staff", "holder", "superuser", "former", "viewer"}
# Who is signed out: also whoever was deactivated since.
NOBODY = frozenset({"anonymous", "inactive"})
EVERYBODY = PEOPLE | NOBODY
VIEWER = frozenset({"viewer"})
OWNER = frozenset({"owner"})
READERS = OWNER | MEMBERS
WRITERS = OWNER | {"writer"}
ADMINS = frozenset({"holder", "superuser"})
STAFF = ADMINS | {"staff", "viewer"}
SUPERUSER = frozenset({"superuser"})
READERS_403 = (("owner", 403), ("viewer", 403))


@dataclass(frozen=True)
class Rule:
    """A route: for whom it is, the row that its address names (`rows.Rows.arguments`), the statuses
    of a GET and of a POST for whom it is for, and those for everybody else. 0: there is no such
    method. `unknown` is the status for an id that names nothing."""

    who: frozenset[str]
    of: str = ""
    get: int = 0
    post: int = 0
    body: dict[str, Any] = field(default_factory=dict)
    # That the holder has for it.
    permission: str = ""
    refused: int = 404
    anonymous: int = 302
    unknown: int = 404
    # Statuses of single people.
    but: tuple[tuple[str, int], ...] = ()
    # A statement that hits no row of others is sent for everybody.
    is_conditional: bool = False
    query: str = ""
    has_csrf: bool = True
    is_private: bool = True

    def status(self, role: str, method: str, *, unknown: bool) -> int:
        """Of the answer to this person, for a row that there is, or for none."""
        if role not in self.who:
            refused = self.anonymous if role in NOBODY else self.refused
            return refused if unknown else dict(self.but).get(role, refused)
        return self.unknown if unknown else self.get if method == "get" else self.post


def _public(**given: Any) -> Rule:
    return Rule(EVERYBODY, anonymous=0, **given)


def _signed_in(**given: Any) -> Rule:
    return Rule(PEOPLE, **given)


def _guests(signed_in: int = 302, **given: Any) -> Rule:
    """For who is not signed in; who is, is sent on."""
    return Rule(NOBODY, refused=signed_in, **given)


def _own(of: str, **given: Any) -> Rule:
    """The owner's alone: whatever permissions somebody has, it is not there for them."""
    return Rule(OWNER, of, **given)


def _read(of: str, **given: Any) -> Rule:
    """Also for members of groups that the conversation is shared with."""
    return Rule(READERS, of, **given)


def _write(of: str, **given: Any) -> Rule:
    """Also for members of groups that may write in the conversation."""
    return Rule(WRITERS, of, **given)


def _trace(of: str = "trace", **given: Any) -> Rule:
    return Rule(OWNER | ADMINS | VIEWER, of, permission=VIEW_TRACE, **given)


def _sent(**given: Any) -> Rule:
    """An attachment of a message, which is in the trace too."""
    return Rule(READERS | ADMINS | VIEWER, "sent_attachment", permission=VIEW_TRACE, **given)


def _people(**given: Any) -> Rule:
    """A page of people: admins alone."""
    return Rule(SUPERUSER, **{"refused": 403, **given})


def _by(permission: str, of: str = "", **given: Any) -> Rule:
    seen = VIEWER if permission == VIEW_DASHBOARD else frozenset()
    return Rule(ADMINS | seen, of, permission=permission, **{"refused": 403, **given})


def _server(**given: Any) -> tuple[Rule, Rule]:
    """A server by URL, and a program: both are for who may change them."""
    url = _by(CHANGE_SERVER, "server", refused=404, **given)
    return url, replace(url, of="program", permission=ADD_PROGRAM)


NEW = {"name": "new", "timeout_s": "60", "mode": "auto"}
HTTP = {**NEW, "transport": "http", "url": "https://new.example/mcp"}
SHELL = {**NEW, "transport": "stdio", "command": "sh", "args": "-c id"}
PROMPT = {"template": "{{ messages }}"}

RULES: dict[str, tuple[Rule, ...]] = {
    "health": (_public(get=200, is_private=False),),
    "manifest": (_public(get=200),),
    "service_worker": (_public(get=200),),
    "offline": (_public(get=200),),
    "metrics": (_by(VIEW_DASHBOARD, get=200, refused=401, anonymous=401),),
    "set_language": (_public(get=302, post=302),),
    # By a token, which nobody has here: its operations are in `api_routes`.
    "rest:openapi": (_public(get=200, is_private=False),),
    "rest:documentation": (_signed_in(get=200),),
    "rest:operation": (_public(get=401, post=401, has_csrf=False),),
    # Programs that connect by OAuth.
    "programs:resource": (_public(get=200, is_private=False),),
    "programs:resource_of_path": (_public(get=200, is_private=False),),
    "programs:server": (_public(get=200, is_private=False),),
    # Of no program: nobody is asked, or sent anywhere.
    "programs:authorize": (_signed_in(get=400, post=400),),
    "programs:token": (_public(post=400, has_csrf=False),),
    "programs:register": (_public(post=400, has_csrf=False),),
    "programs:revoke": (_public(post=400, has_csrf=False),),
    "openai:models": (_public(get=401, post=401, has_csrf=False),),
    "openai:model": (_public(get=401, post=401, has_csrf=False),),
    "openai:chat_completions": (_public(get=401, post=401, has_csrf=False),),
    "openai:responses": (_public(get=401, post=401, has_csrf=False),),
    "openai:response": (_public(get=401, post=401, has_csrf=False),),
    "openai:cancel": (_public(get=401, post=401, has_csrf=False),),
    "openai:nothing": (_public(get=401, post=401, has_csrf=False),),
    # Accounts.
    "account_link": (_public(get=410),),
    "account_login": (_guests(get=200, post=200),),
    "account_logout": (_signed_in(get=200, post=302),),
    "account_signup": (_guests(get=200, post=200),),
    "account_inactive": (_public(get=200, post=405),),
    # They have no password here to be asked for.
    "account_reauthenticate": (_signed_in(get=403, post=403),),
    "account_change_password": (_signed_in(get=302, post=302),),
    "account_set_password": (_signed_in(get=200, post=200),),
    # Without a mail server they are not there.
    "account_reset_password": (_public(get=404, post=404),),
    "account_reset_password_done": (_public(get=404, post=404),),
    "account_reset_password_from_key": (_public(of="reset", get=404, post=404),),
    "account_reset_password_from_key_done": (_public(get=404, post=404),),
    # Without its secret an invitation is none; who is signed in needs none.
    "account_invitation": (_guests(signed_in=200, get=410, post=410),),
    # The second factor, of people who have none and no password to be asked for.
    "mfa_index": (_signed_in(get=200),),
    "mfa_authenticate": (_public(get=302, post=302),),
    "mfa_reauthenticate": (_signed_in(get=403, post=403),),
    "mfa_reauthenticate_webauthn": (_signed_in(get=403, post=403),),
    "mfa_activate_totp": (_signed_in(get=200, post=200),),
    "mfa_deactivate_totp": (_signed_in(get=404, post=404),),
    "mfa_view_recovery_codes": (_signed_in(get=404),),
    "mfa_generate_recovery_codes": (_signed_in(get=200, post=200),),
    "mfa_download_recovery_codes": (_signed_in(get=404, post=404),),
    "mfa_list_webauthn": (_signed_in(get=200),),
    "mfa_add_webauthn": (_signed_in(get=200, post=200),),
    "mfa_login_webauthn": (_public(get=302, post=302),),
    "mfa_edit_webauthn": (_signed_in(of="passkey", get=404, post=404),),
    "mfa_remove_webauthn": (_signed_in(of="passkey", get=404, post=404),),
    # Without a provider there is none to sign in at.
    "oidc_login": (_public(get=404),),
    "openid_connect_callback": (_public(of="sign_in_provider", get=404),),
    "oidc_link": (_signed_in(post=404),),
    "oidc_unlink": (_signed_in(post=302),),
    # People.
    "people:index": (_people(get=200),),
    "people:invitations": (_people(get=200, post=422),),
    "people:revoke_invitation": (_people(of="invitation", post=302),),
    "people:person": (_people(of="person", get=200),),
    "people:role": (_people(of="person", post=302, body={"role": "viewer"}),),
    "people:groups": (_people(of="person", post=302),),
    "people:activity": (_people(of="person", post=302),),
    "people:end_sessions": (_people(of="person", post=302),),
    "people:link": (_people(of="person", post=200),),
    "people:remove_factors": (_people(of="person", post=302),),
    "people:ask_archive": (_people(of="person", post=302),),
    "people:archive": (_people(of="person", get=404),),
    "people:transfer": (_people(of="person", post=422),),
    "people:delete": (_people(of="person", post=422),),
    # Assistants.
    "assistants:index": (_signed_in(get=200),),
    "assistants:create": (_signed_in(get=200, post=422),),
    "assistants:import": (_signed_in(get=200, post=422),),
    "assistants:preset": (
        _own("preset", get=200),
        _by(CHANGE_PRESET, "deployment", get=200, refused=404),
    ),
    "assistants:edit": (
        _own("preset", get=200, post=422),
        _by(CHANGE_PRESET, "deployment", get=200, post=422, refused=404),
    ),
    "assistants:duplicate": (
        _own("preset", post=302),
        _by(CHANGE_PRESET, "deployment", post=302, refused=404),
    ),
    "assistants:publish": (_by(CHANGE_PRESET, "deployment", post=302),),
    "assistants:delete": (
        _own("preset", post=302),
        _by(CHANGE_PRESET, "deployment", post=302, refused=404),
    ),
    "assistants:export": (
        _own("preset", get=200),
        _by(CHANGE_PRESET, "deployment", get=200, refused=404),
    ),
    # Cassettes: by a key that the provider has, not by a cookie.
    "walkthrough": (_public(post=401, has_csrf=False),),
    "cassette": (_public(of="cassette", get=401, post=401, has_csrf=False),),
    # Chats.
    "chat:home": (_signed_in(get=200),),
    "chat:conversation": (_read("conversation", get=200),),
    "chat:thread": (_read("conversation", get=200),),
    "chat:thread_foot": (_read("conversation", get=200),),
    "chat:rename": (_own("conversation", post=302, body={"title": "New"}),),
    "chat:delete": (_own("conversation", post=302),),
    "chat:conversation_draft": (_write("conversation", get=200, post=200),),
    "chat:conversation_mentions": (_write("conversation", get=200),),
    "chat:mentions": (_signed_in(get=200),),
    "chat:draft": (_signed_in(get=200, post=200),),
    "chat:files": (_read("conversation", get=200),),
    "chat:files_count": (_read("conversation", get=200),),
    "chat:file_preview": (_read("conversation", get=200),),
    "chat:file_download": (_read("conversation", get=404),),
    "chat:file_image": (_read("conversation", get=404),),
    "chat:files_zip": (_read("conversation", get=200),),
    "chat:file_upload": (_own("conversation", post=400),),
    "chat:file_remove": (_own("conversation", post=400),),
    "chat:branch": (_write("conversation", post=409),),
    "chat:compact": (_own("conversation", post=409),),
    "chat:own": (_own("conversation", get=200, post=422),),
    "chat:keep": (_own("conversation", post=302),),
    "chat:leave": (_own("conversation", post=204),),
    "chat:share": (_own("sharing", get=200, post=200),),
    "chat:share_trace": (_own("sharing", post=200, body={"with_traces": "1"}),),
    "chat:share_attachment": (_own("sharing", get=200),),
    "chat:shared_link": (_own("made_link", get=200),),
    "chat:conversation_tools": (_own("conversation", get=200, post=200),),
    "chat:assistant": (_own("conversation", get=200, post=422),),
    "chat:limits": (_own("conversation", get=200, post=422),),
    "chat:groups": (_own("conversation", get=200, post=422),),
    "chat:tools": (_signed_in(get=200, post=200),),
    "chat:conversations": (_signed_in(get=200),),
    "chat:search": (_signed_in(get=200),),
    "chat:organise": (_signed_in(post=302),),
    "chat:tags": (_signed_in(get=200),),
    "chat:find": (_read("conversation", get=200),),
    "chat:turn": (_read("turn", get=200),),
    "chat:result_media": (_read("result", get=200),),
    "chat:choose": (_own("turn", post=409),),
    "chat:compare": (_signed_in(get=200),),
    "chat:regenerate": (_write("turn", get=200),),
    "chat:turn_branch": (_trace("turn", get=200, anonymous=404),),
    "chat:queued_edit": (_write("turn", post=409, body={"text": "New"}),),
    "chat:queued_move": (_write("turn", post=409),),
    "chat:queued_now": (_write("turn", post=409),),
    "chat:queued_steer": (_write("turn", post=409),),
    "chat:queued_withdraw": (_write("turn", post=409),),
    "chat:turn_delete": (_own("turn", post=200),),
    "chat:turn_restore": (_write("turn", post=409),),
    "chat:feedback": (_own("turn", post=409, body={"rating": "up"}),),
    "chat:turn_running": (_trace("turn", get=200, anonymous=404),),
    "chat:first_steps": (_signed_in(get=200),),
    "chat:dismiss_first_steps": (_signed_in(post=204),),
    "chat:offers": (_signed_in(get=200),),
    "chat:offer_ask": (_by(CHANGE_SERVER, post=400, body={"server": "server"}, refused=404),),
    "chat:offer_take": (_own("reading", post=200),),
    "chat:attachments": (_signed_in(post=400),),
    "chat:attachment": (_own("attachment", get=200), _sent(get=200)),
    "chat:file_text": (_own("file_text", get=200),),
    "chat:attachment_preview": (_own("attachment", get=200), _sent(get=200)),
    # Removing what is not there is no error, and removes nothing.
    "chat:attachment_remove": (
        _own("attachment", post=204, refused=204, unknown=204, is_conditional=True),
    ),
    "chat:message_text": (_read("message", get=200),),
    "chat:figures": (_read("conversation", get=200),),
    "chat:preview": (_public(get=200, is_private=False),),
    "chat:remote_image": (_signed_in(get=404),),
    # Playgrounds.
    "playground:index": (_signed_in(get=200),),
    "playground:create": (_signed_in(post=302),),
    "playground:playground": (_own("playground", get=200),),
    "playground:draft": (_own("playground", post=204, body={"draft": "{}"}),),
    "playground:run": (_own("playground", post=422, body={"draft": "{}"}),),
    "playground:delete": (_own("playground", post=302),),
    "playground:of_run": (_own("playground", get=200),),
    "playground:outputs": (_own("playground", get=200),),
    "playground:stop": (_own("playground", post=302),),
    # Prompts.
    "projects:index": (_signed_in(get=200),),
    "projects:create": (_signed_in(post=422),),
    "projects:choice": (_signed_in(get=200),),
    "projects:project": (_own("project", get=200),),
    "projects:details": (_own("project", post=422),),
    "projects:instructions": (_own("project", post=302),),
    "projects:archive": (_own("project", post=302),),
    "projects:delete": (_own("project", post=302),),
    "projects:conversations": (_own("project", get=200),),
    "projects:files": (_own("project", get=200),),
    "projects:upload": (_own("project", post=400),),
    "projects:file": (_own("project_file", get=200),),
    "projects:preview": (_own("project_file", get=200),),
    "projects:replace": (_own("project_file", post=400),),
    "projects:remove": (_own("project_file", post=204),),
    "prompts:index": (_signed_in(get=200),),
    "prompts:create": (_signed_in(get=200, post=422),),
    "prompts:import": (_signed_in(get=200, post=422),),
    "prompts:export": (_signed_in(get=200),),
    "prompts:edit": (
        _own("prompt", get=200, post=422),
        _by(CHANGE_PROMPT_TEMPLATE, "shared_prompt", get=200, post=422, refused=404),
    ),
    "prompts:delete": (
        _own("prompt", post=302),
        _by(CHANGE_PROMPT_TEMPLATE, "shared_prompt", post=302, refused=404),
    ),
    "prompts:share": (_by(CHANGE_PROMPT_TEMPLATE, "shared_prompt", post=302),),
    "prompts:fill": (_own("prompt", post=200), _signed_in(of="shared_prompt", post=200)),
    # Providers and models.
    "providers:index": (_by(CHANGE_PROVIDER, get=200),),
    "providers:create": (_by(CHANGE_PROVIDER, get=200, post=422, query="?service=openai"),),
    "providers:create_cassette": (_by(CHANGE_PROVIDER, get=200, post=422),),
    "providers:provider": (_by(CHANGE_PROVIDER, "provider", get=200),),
    "providers:edit": (_by(CHANGE_PROVIDER, "provider", get=200, post=422),),
    "providers:delete": (_by(CHANGE_PROVIDER, "provider", post=302),),
    "providers:list": (_by(CHANGE_PROVIDER, "provider", post=302),),
    "providers:add": (_by(CHANGE_PROVIDER, "provider", post=302),),
    "providers:create_model": (_by(CHANGE_PROVIDER, "provider", get=200, post=422),),
    "providers:model": (_by(CHANGE_PROVIDER, "model", get=200),),
    "providers:status": (_by(CHANGE_PROVIDER, "model", get=200),),
    "providers:edit_model": (_by(CHANGE_PROVIDER, "model", get=200, post=422),),
    "providers:test": (_by(CHANGE_PROVIDER, "model", post=302),),
    "providers:probe": (_by(CHANGE_PROVIDER, "model", post=302),),
    "providers:default": (_by(CHANGE_PROVIDER, "model", post=302),),
    "providers:offer": (_by(CHANGE_PROVIDER, "model", post=302),),
    "providers:move": (_by(CHANGE_PROVIDER, "model", post=302),),
    "providers:delete_model": (_by(CHANGE_PROVIDER, "model", post=302),),
    # What people have used, and their limits.
    "usage:index": (_by(CHANGE_QUOTA, get=200),),
    "usage:keep": (_by(CHANGE_QUOTA, post=422),),
    "usage:remove": (_by(CHANGE_QUOTA, "quota_rule", post=302, unknown=302),),
    # Settings of a person.
    "settings:index": (_signed_in(get=200),),
    "settings:theme": (_signed_in(post=400),),
    "settings:end_sessions": (_signed_in(post=302),),
    "settings:memory": (_signed_in(post=302),),
    "settings:add_fact": (_signed_in(post=302),),
    "settings:erase_facts": (_signed_in(post=302),),
    "settings:fact": (_own("fact", post=302, body={"text": "Likes quokkas."}),),
    "settings:erase_fact": (_own("fact", post=302),),
    "settings:keep": (_signed_in(post=422),),
    "settings:make_token": (_signed_in(post=422),),
    "settings:revoke_token": (_own("token", post=302),),
    "settings:disconnect_program": (_own("connection", post=302),),
    "webhooks:index": (_signed_in(get=200, post=422),),
    "webhooks:webhook": (_own("webhook", get=200, post=422),),
    "webhooks:rotate": (_own("webhook", post=200),),
    "webhooks:test": (_own("webhook", post=302),),
    "webhooks:send_again": (_own("delivery", post=302),),
    "webhooks:delete": (_own("webhook", post=302),),
    "audit:index": (_by("audit.view_event", get=200),),
    "audit:export": (_by("audit.view_event", "audit_file", get=200),),
    "settings:revoke_links": (_signed_in(post=302),),
    "settings:revoke_link": (_own("link", post=302),),
    # Shared links: for who has the address, some only for who is signed in.
    **{
        name: (
            _public(of="link_everybody", get=get),
            _signed_in(of="link_signed_in", get=get),
        )
        for name, get in (
            ("shared:page", 200),
            ("shared:trace", 200),
            ("shared:attachment", 200),
            ("shared:media", 404),
            ("shared:image", 404),
        )
    },
    "shared:copy": tuple(
        _signed_in(of=f"link_{audience}", get=200, post=302)
        for audience in ("everybody", "signed_in")
    ),
    # Skills.
    "skills:index": (_by(CHANGE_SKILL, get=200),),
    "skills:scan": (_by(CHANGE_SKILL, post=302),),
    "skills:add": (_by(CHANGE_SKILL, get=200, post=422),),
    "skills:choice": (_signed_in(get=200),),
    "skills:choice_of": (_own("conversation", get=200, post=200),),
    "skills:skill": (_by(CHANGE_SKILL, "skill", get=200),),
    "skills:switch": (_by(CHANGE_SKILL, "skill", post=302),),
    "skills:give": (_by(CHANGE_SKILL, "skill", post=302),),
    "skills:remove": (_by(CHANGE_SKILL, "skill", post=302),),
    "skills:download": (_by(CHANGE_SKILL, "skill", get=404),),
    # Export and import.
    "transfer:export": (_own("conversation", get=200),),
    "transfer:export_all": (_signed_in(get=200, post=200),),
    "transfer:upload": (_signed_in(post=302),),
    "transfer:import": (_own("import", get=200),),
    "transfer:import_status": (_own("import", get=200),),
    "transfer:import_begin": (_own("import", post=302),),
    "transfer:import_cancel": (_own("import", post=302),),
    # The data of a person.
    "data:archive_ask": (_signed_in(post=302),),
    "data:archive_status": (_own("data_archive", get=200),),
    "data:archive": (_own("data_archive", get=404),),
    "data:delete_account": (_signed_in(get=200, post=422),),
    # For who has the address: it names nobody.
    "data:receipt": (_public(of="receipt", get=200),),
    "data:receipt_status": (_public(of="receipt", get=200),),
    # Servers and tools.
    "oauth:callback": (_signed_in(get=400),),
    "oauth:client": (_public(get=200, is_private=False),),
    "tools:servers": (_signed_in(get=200),),
    "tools:register": (
        _by(CHANGE_SERVER, get=200, post=302, body=HTTP),
        _by(ADD_PROGRAM, post=302, get=200, body=SHELL),
    ),
    "tools:import": (_by(CHANGE_SERVER, get=200, post=422),),
    "tools:export_all": (_by(CHANGE_SERVER, get=200),),
    "tools:built_in": (_by(CHANGE_LOCAL_TOOL, get=200),),
    "tools:change_built_in": (
        _by(CHANGE_LOCAL_TOOL, post=302, body={"tool": "calculate", "enabled": "off"}),
    ),
    "tools:try_connection": (
        _by(CHANGE_SERVER, post=200, body=HTTP),
        _by(ADD_PROGRAM, post=200, body=SHELL),
    ),
    "tools:trial": (_own("trial", get=200),),
    "tools:trial_media": (_own("trial", get=404),),
    "tools:server": _server(get=200),
    "tools:status": _server(get=200),
    "tools:edit": _server(get=200, post=422),
    "tools:test": _server(post=302),
    "tools:delete": _server(post=302),
    "tools:export": tuple(replace(rule, refused=403) for rule in _server(get=200)),
    "tools:account": _server(get=200),
    "tools:account_of": _server(get=302),
    "tools:connect": _server(post=302),
    "tools:cancel_connect": _server(post=302),
    "tools:disconnect": _server(post=302),
    "tools:change_tools": _server(post=302, body={"all": "1", "enabled": "off"}),
    "tools:approve": _server(post=302),
    "tools:tool": _server(get=200, query="?name=walk"),
    "tools:try_tool": _server(post=200, query="?name=walk"),
    "tools:result_media": (_trace("result", get=200),),
    # Traces.
    "tracing:list": (_signed_in(get=200),),
    "tracing:list_delete": (_trace(post=200, body={"trace": "trace"}, refused=302),),
    "tracing:list_export": (_trace(post=200, body={"trace": "trace"}, refused=302),),
    "tracing:list_cassette": (_trace(post=200, body={"trace": "trace"}, refused=302),),
    "tracing:dashboard": (_by(VIEW_DASHBOARD, get=200, refused=404),),
    "tracing:archive": (_trace("archive", get=200),),
    "tracing:archive_cassette": (_trace("archive", get=200, anonymous=404),),
    "tracing:trace": (_trace(get=200),),
    "tracing:trace_json": (_trace(get=200, anonymous=404),),
    "tracing:cassette": (_trace(get=200, anonymous=404),),
    "tracing:version": (_trace(get=200, anonymous=404),),
    "tracing:round": (_trace(get=200, anonymous=404),),
    "tracing:timeline": (_trace(get=200, anonymous=404),),
    "tracing:payload": (_trace("payload", get=200, anonymous=404),),
    "tracing:reader": (_trace("payload", get=200, anonymous=404),),
    "tracing:find": (_trace("payload", get=200, anonymous=404),),
    "tracing:part": (_trace("payload", get=200, anonymous=404),),
    "code:curl": (_trace(get=200),),
    "code:curl_text": (_trace(get=200, anonymous=404),),
    "code:python": (_trace(get=200),),
    "code:python_text": (_trace(get=200, anonymous=404),),
    "fork:round": (_trace(post=302),),
    "prompt:page": (
        _trace(get=200),
        # For who may set up models *and* read this trace.
        Rule(
            SUPERUSER, "trace", post=200, body=PROMPT, permission=CHANGE_PROVIDER, but=READERS_403
        ),
    ),
    "prompt:part": (_trace(get=200, anonymous=404),),
    "prompt:plain": (_trace(get=200, anonymous=404),),
}


@dataclass(frozen=True)
class Route:
    """A URL of the table: its name, its pattern, and the names of its arguments."""

    name: str
    pattern: str
    arguments: tuple[str, ...]

    @property
    def names_a_row(self) -> bool:
        return "<uuid:" in self.pattern


@cache
def routes() -> tuple[Route, ...]:
    return tuple(_walk(get_resolver(), "", ""))


def _walk(resolver: URLResolver, prefix: str, namespace: str) -> Iterator[Route]:
    for entry in resolver.url_patterns:
        pattern = f"{prefix}{entry.pattern}"
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from _walk(entry, pattern, inner)
        else:
            assert isinstance(entry, URLPattern)
            name = f"{namespace}{entry.name or ''}"
            yield Route(name, pattern, tuple(ARGUMENT.findall(pattern)))


def own_routes() -> tuple[Route, ...]:
    """Those of the application's own pages; the admin's are a matter of its models."""
    return tuple(route for route in routes() if not route.name.startswith("admin:"))


def admin_routes() -> tuple[Route, ...]:
    return tuple(route for route in routes() if route.name.startswith("admin:"))


def admin_models() -> list[Any]:
    return sorted(admin.site._registry, key=lambda model: model._meta.label)
