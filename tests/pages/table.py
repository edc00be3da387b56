"""The pages of the product: each address that answers a document, and what can be opened on it.

The addresses are those of `tests.access.routes`: one that answers a GET is a page, or is named in
`NO_PAGES`; the test asks each which it is. The admin's pages are those of every model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from tests.access.routes import RULES, Rule, admin_routes, routes
from tests.pages.opened import OPENED, Opens

Arguments = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Page:
    """A page: the name of its address, what the address names (`tests.pages.seeding`), and whether
    it is for who is signed in. `path` is the address of a page without a route of its own; `opens`
    is done with the page first."""

    route: str
    of: str = ""
    query: str = ""
    is_signed_in: bool = True
    path: str = ""
    opens: Opens | None = None

    def __str__(self) -> str:
        words = (self.path or self.route, self.of, self.query, self.opens and self.opens.name)
        return " ".join(word for word in words if word)

    @property
    def is_part_new(self) -> bool:
        """Whether only a part of it is not on another page: what is opened, or what a list of the
        admin has."""
        return self.opens is not None or self.route.endswith("_changelist")

    def address(self, arguments: Arguments) -> str:
        if self.path:
            return self.path
        named = {**GIVEN, **arguments.get(self.of, {})}
        route = next(one for one in routes() if one.name == self.route)
        return reverse(self.route, kwargs={n: named[n] for n in route.arguments}) + self.query


# What an address names that is no row.
GIVEN: dict[str, Any] = {
    "program": "curl",
    "name": "x",
    "rest": "models",
    "section": "general",
    "path": "x",
}
# What the program of `tests.access.rows` asks for.
CONSENT = (
    "?client_id=program&response_type=code&scope=traces+chat&code_challenge_method=S256"
    f"&code_challenge={'x' * 43}"
)
# Addresses that answer a part of a page, a file or data.
NO_PAGES = {
    *("programs:resource", "programs:resource_of_path", "programs:server"),
    *("health", "metrics", "cassette", "oauth:client", "manifest", "service_worker"),
    *("projects:choice", "projects:conversations", "projects:files", "projects:file"),
    *("projects:preview", "chat:share_attachment", "chat:first_steps"),
    *(
        "chat:compare",
        "chat:groups",
        "shared:attachment",
    ),
    *("assistants:export", "prompts:export", "transfer:export", "transfer:export_all"),
    *("chat:thread", "chat:thread_foot", "chat:conversation_draft", "chat:conversation_mentions"),
    *("chat:mentions", "chat:draft", "chat:files", "chat:files_count", "chat:file_preview"),
    *("chat:files_zip", "chat:own", "chat:tools"),
    *("chat:conversation_tools", "chat:assistant", "chat:limits", "chat:conversations"),
    *(
        "chat:tags",
        "chat:find",
        "chat:result_media",
        "chat:turn",
        "chat:regenerate",
        "chat:turn_branch",
    ),
    *("chat:turn_running", "chat:offers", "chat:attachment", "chat:attachment_preview"),
    *("chat:message_text", "chat:figures", "chat:preview"),
    *("playground:outputs", "providers:status", "skills:choice", "skills:choice_of"),
    *("audit:export", "rest:openapi", "rest:operation"),
    *("openai:models", "openai:model", "openai:chat_completions", "openai:responses"),
    *("openai:response", "openai:cancel", "openai:nothing"),
    *("transfer:import_status", "data:archive_status"),
    *("data:receipt_status", "tools:export", "tools:export_all", "tools:trial"),
    *("tools:status", "tools:account", "tools:result_media"),
    *("tracing:archive_cassette", "tracing:trace_json", "tracing:cassette", "tracing:version"),
    *("tracing:round", "tracing:timeline", "tracing:find", "tracing:part"),
    *("tracing:payload", "code:curl_text", "code:python_text", "prompt:part", "prompt:plain"),
}
# Pages that an address has beside the one that its rule asks for.
MORE = (
    Page("", path="/nowhere/"),
    Page("providers:create"),
    Page("programs:authorize", query=CONSENT),
    *(Page("chat:conversation", of=name) for name in ("rich", "waiting", "walked")),
    *(Page(name, of="walked_trace") for name in ("tracing:trace", "code:curl", "prompt:page")),
    Page("chat:search", query="?q=排序"),
    Page("chat:search", query="?q=没有的词"),
    Page("tracing:list", query="?q=没有的词"),
)


def pages() -> tuple[Page, ...]:
    """All of them, each once, in the order of the rules."""
    found = [page for name, rules in RULES.items() for page in _pages_of(name, rules)]
    opened = [
        Page(route, of, opens=opens) for (route, of), all_ in OPENED.items() for opens in all_
    ]
    return tuple(dict.fromkeys([*found, *MORE, *_admin_pages(), *opened]))


def asked() -> Iterator[Page]:
    """Every address that answers a GET, a page or not."""
    for name, rules in RULES.items():
        for rule in rules:
            if _answers(rule):
                yield _page(name, rule)


def _pages_of(name: str, rules: tuple[Rule, ...]) -> Iterator[Page]:
    if name not in NO_PAGES:
        yield from (_page(name, rule) for rule in rules if _answers(rule))


def _answers(rule: Rule) -> bool:
    """Whether it answers something of its own, and not the page for what is not there."""
    return rule.get // 100 in (2, 4) and rule.get != 404


def _page(name: str, rule: Rule) -> Page:
    is_signed_in = bool(rule.who & {"owner", "superuser"}) and name not in SIGNED_OUT
    return Page(name, rule.of, rule.query, is_signed_in)


# Pages for everybody that matter to who is not signed in.
SIGNED_OUT = {"account_link", "account_inactive", "account_invitation"}
# Forms of the admin with parts of our own.
FORMS = {"chat_provider_change", "chat_preset_change", "auth_group_change"}


def _admin_pages() -> Iterator[Page]:
    """The first page, the list of each model, and the forms that have parts of our own."""
    yield Page("admin:index")
    for route in admin_routes():
        name = route.name.partition(":")[2]
        if name.endswith("_changelist"):
            yield Page(route.name)
        elif name in FORMS:
            yield Page(route.name, of=name.removesuffix("_change"))
