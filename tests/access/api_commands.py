"""Whatever changes something on a page, or by a frame, and the operation of the API that does the
same; or why there is none."""

ACCOUNT = "an account, its sessions and what proves who somebody is are changed by people alone"
SETTINGS = "how the pages look and behave for a person"
ADMIN = "set up by admins, on the pages that explain what they set"
SECRETS = "it gives a program rights, or takes them: a token cannot make tokens"
OTHER_PROTOCOL = "this is for programs itself"
DRAFT = "what a person is typing; a program has its own place for that"
CONSENT = "a person has to look at what the whole internet, or a server, would be given"
BROWSER = "it goes on in a browser: at a sign-in of another site"
PLAYGROUND = "a workbench for people; programs ask a model by /v1"
FILES = "files are imported and archives made for a person to look at what came of it"

CONVERSATION, TURN = "/api/conversations/{id}", "/api/turns/{id}"

# By the name of the route.
ROUTES: dict[str, tuple[str, ...] | str] = {
    "chat:rename": (f"PATCH {CONVERSATION}",),
    "chat:delete": (f"DELETE {CONVERSATION}",),
    "chat:file_upload": (f"PUT {CONVERSATION}/files/{{path}}",),
    "chat:file_remove": (f"DELETE {CONVERSATION}/files/{{path}}",),
    "chat:branch": (f"PATCH {CONVERSATION}",),
    "chat:compact": (f"POST {CONVERSATION}/compact",),
    "chat:own": (f"PATCH {CONVERSATION}/settings",),
    "chat:keep": (f"PATCH {CONVERSATION}",),
    "chat:conversation_tools": (f"PATCH {CONVERSATION}/settings",),
    "chat:assistant": (f"PATCH {CONVERSATION}/settings",),
    "chat:groups": (f"POST {CONVERSATION}/shares", f"DELETE {CONVERSATION}/shares/{{share}}"),
    "chat:organise": ("POST /api/conversations/act", f"PATCH {CONVERSATION}"),
    "chat:choose": (f"POST {TURN}/choose",),
    "chat:queued_edit": (f"PATCH {TURN}",),
    "chat:queued_move": (f"PATCH {TURN}",),
    "chat:queued_now": (f"PATCH {TURN}",),
    "chat:queued_steer": (f"PATCH {TURN}",),
    "chat:queued_withdraw": (f"DELETE {TURN}",),
    "chat:turn_delete": (f"DELETE {TURN}",),
    "chat:turn_restore": (f"POST {TURN}/restore",),
    "chat:feedback": (f"PUT {TURN}/feedback", f"DELETE {TURN}/feedback"),
    "chat:attachments": ("POST /api/attachments",),
    "chat:attachment_remove": ("DELETE /api/attachments/{id}",),
    "projects:create": ("POST /api/projects",),
    "projects:details": ("PATCH /api/projects/{id}",),
    "projects:instructions": ("PATCH /api/projects/{id}",),
    "projects:archive": ("PATCH /api/projects/{id}",),
    "projects:delete": ("DELETE /api/projects/{id}",),
    "projects:upload": ("POST /api/projects/{id}/files",),
    "projects:replace": ("POST /api/project-files/{id}",),
    "projects:remove": ("DELETE /api/project-files/{id}",),
    "assistants:create": ("POST /api/assistants",),
    "assistants:import": ("POST /api/assistants",),
    "assistants:edit": ("PUT /api/assistants/{id}",),
    "assistants:duplicate": ("GET /api/assistants/{id}", "POST /api/assistants"),
    "assistants:delete": ("DELETE /api/assistants/{id}",),
    "prompts:create": ("POST /api/prompts",),
    "prompts:import": ("POST /api/prompts",),
    "prompts:edit": ("PATCH /api/prompts/{id}",),
    "prompts:delete": ("DELETE /api/prompts/{id}",),
    "prompts:fill": ("POST /api/prompts/{id}/fill",),
    "providers:create_cassette": ("POST /api/cassettes",),
    "skills:choice_of": (f"PATCH {CONVERSATION}/settings",),
    "transfer:export_all": (f"GET {CONVERSATION}/export",),
    "tracing:list_delete": ("POST /api/traces/delete",),
    "tracing:list_export": ("GET /api/traces/{id}/document",),
    "tracing:list_cassette": ("GET /api/traces/{id}/cassette",),
    "fork:round": ("POST /api/traces/{id}/fork",),
    "chat:tools": ("POST /api/turns",),
    "chat:limits": "numbers of the agent for one conversation, which an assistant has too",
    "chat:leave": "a page says that it was closed; nobody following has the same effect",
    "chat:share": CONSENT,
    "chat:share_trace": CONSENT,
    "shared:copy": CONSENT,
    "chat:offer_ask": ADMIN,
    "chat:offer_take": "a prompt of a server, shown to a person before it is sent",
    "chat:dismiss_first_steps": SETTINGS,
    "assistants:publish": ADMIN,
    "prompts:share": ADMIN,
    "prompt:page": ADMIN,
    "rest:operation": OTHER_PROTOCOL,
    "walkthrough": OTHER_PROTOCOL,
    "cassette": OTHER_PROTOCOL,
    "set_language": SETTINGS,
    "settings:revoke_link": CONSENT,
    "settings:revoke_links": CONSENT,
    "settings:make_token": SECRETS,
    "settings:revoke_token": SECRETS,
    "settings:disconnect_program": SECRETS,
}
# By the beginning of the route's name.
PAGES: dict[str, str] = {
    "account_": ACCOUNT,
    "mfa_": ACCOUNT,
    "oidc_": BROWSER,
    "people:": ADMIN,
    "providers:": ADMIN,
    "skills:": ADMIN,
    "tools:": ADMIN,
    "usage:": ADMIN,
    "programs:": OTHER_PROTOCOL,
    "openai:": OTHER_PROTOCOL,
    "gateway:": OTHER_PROTOCOL,
    "mcp": OTHER_PROTOCOL,
    "webhooks:": SECRETS,
    "settings:": SETTINGS,
    "playground:": PLAYGROUND,
    "transfer:": FILES,
    "data:": FILES,
    "chat:draft": DRAFT,
    "chat:conversation_draft": DRAFT,
}
# By the type of the frame.
FRAMES: dict[str, tuple[str, ...] | str] = {
    "open": (f"GET {CONVERSATION}/events",),
    "watch": (f"GET {CONVERSATION}/events",),
    "unwatch": "a client closes its stream",
    "send": ("POST /api/turns",),
    "stop": (f"POST {TURN}/stop",),
    "decide": ("POST /api/calls/{id}/decision",),
    "answer": ("POST /api/questions/{id}/answer",),
    "writing": "who types is told to people on the page alone",
    "ping": "streams have heartbeats",
}


def of_route(name: str) -> tuple[str, ...] | str | None:
    """Operations, or a reason; None if there is neither."""
    if name in ROUTES:
        return ROUTES[name]
    return next((why for begin, why in PAGES.items() if name.startswith(begin)), None)
