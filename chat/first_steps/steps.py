"""The first steps on a new deployment, with the state of each.

    todo ──► running ──► done
                  └────► failed, with the reason

A model that is connected and one that runs here are alternatives: with either, and with a server,
the steps are over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from django.contrib.auth.models import User
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from chat.first_steps import local_model
from chat.models import LanguageModel, Provider
from chat.permissions import CHANGE_PROVIDER
from chat.setup import LOCAL
from jobs import OPEN
from languages.later import later
from languages.stored import shown
from limits.chat import MAX_NAMED_ADMINS, MAX_STEP_ROWS
from tools.models import Server
from tools.permissions import CHANGE_SERVER, may_own_servers
from tracing.permissions import holds

State = Literal["todo", "running", "done", "failed"]
Row = TypeVar("Row", LanguageModel, Server)
# Of the server that ships with the program, for the walkthrough.
SHIPPED_SERVER = "sqlite"
# What members read, who do not see addresses and reasons.
_BROKEN = later("The test of %(model)s failed.")
_NO_ANSWER = later("%(server)s does not answer.")
MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@dataclass(frozen=True)
class Step:
    """`note` says more of the state. One who may not do it has no `url` and reads `who` can."""

    name: str
    title: str
    note: str
    state: State = "todo"
    url: str = ""
    action: str = ""
    command: str = ""
    who: Sequence[str] = ()


def steps(user: User) -> list[Step]:
    return [_connect(user), _run_here(user), _register(user)]


def are_over(found: Sequence[Step]) -> bool:
    connected, local, registered = (step.state == "done" for step in found)
    return (connected or local) and registered


def _connect(user: User) -> Step:
    title = _("Connect a model")
    models = LanguageModel.objects.filter(enabled=True, provider__enabled=True).exclude(
        Q(provider__kind=Provider.Kind.CASSETTE) | Q(provider__name=LOCAL)
    )
    rows = list(
        models.select_related("provider").order_by("-is_default", "position")[:MAX_STEP_ROWS]
    )
    state, model = _latest(rows)
    if model is None:
        note = _("From OpenAI, Anthropic, or any server with the same API.")
        return _step(user, CHANGE_PROVIDER, "connect", title, note, "providers:index", _("Connect"))
    may = holds(user, CHANGE_PROVIDER)
    notes = {
        "done": _("%(model)s is connected."),
        "running": _("%(model)s is being tested."),
        "failed": _("The test of %(model)s failed: %(reason)s") if may else _BROKEN,
    }
    reason = shown(model.check_error)
    note = notes[state] % {"model": str(model), "reason": reason}
    if state != "failed":
        return Step("connect", title, note, state)
    if not may:
        return Step("connect", title, note, state, who=_admins(CHANGE_PROVIDER))
    address = reverse("providers:model", args=[model.public_id])
    return Step("connect", title, note, state, address, _("Fix"))


def _run_here(user: User) -> Step:
    title = _("Run a model here")
    found = local_model.state()
    if found == "none":
        note = _("On this machine, without a key. Stop Roundtrip and start it with:")
        step = _step(user, CHANGE_PROVIDER, "local", title, note)
        if not step.who:
            return Step(step.name, title, note, command="make run LOCAL_MODEL=1")
        note = _("On the machine of this server, without a key.")
        return Step(step.name, title, note, who=step.who)
    values = {"model": local_model.name()}
    if found == "answers":
        return Step("local", title, _("%(model)s runs here.") % values, "done")
    if found == "loading":
        return Step("local", title, _("%(model)s is being loaded.") % values, "running")
    note = _("%(model)s has ended. The log of Roundtrip says why.") % values
    return Step("local", title, note, "failed")


def _register(user: User) -> Step:
    title = _("Register an MCP server")
    servers = Server.objects.for_user(user).filter(enabled=True).exclude(name=SHIPPED_SERVER)
    state, row = _latest(list(servers.order_by("pk")[:MAX_STEP_ROWS]))
    may = may_own_servers(user)
    if row is None:
        note = _("It gives models tools: files, databases, services.")
        if not may:
            return Step("server", title, note, who=_admins(CHANGE_SERVER))
        return Step("server", title, note, "todo", reverse("tools:register"), _("Register"))
    notes = {
        "done": _("%(server)s is registered."),
        "running": _("%(server)s is being tested."),
        "failed": _("%(server)s does not answer: %(reason)s") if may else _NO_ANSWER,
    }
    note = notes[state] % {"server": row.name, "reason": shown(row.last_error)}
    if state != "failed" or not may:
        return Step("server", title, note, state)
    address = reverse("tools:server", args=[row.public_id])
    return Step("server", title, note, state, address, _("Fix"))


def _latest(rows: list[Row]) -> tuple[State, Row | None]:
    """The best that there is: one that works, else one that is being tested, else a failed one."""
    states: dict[State, list[Row]] = {"done": [], "running": [], "failed": []}
    for row in rows:
        state: State = "failed" if row.check_state == row.Check.FAILED else "done"
        states["running" if row.check_state in OPEN else state].append(row)
    for state, found in states.items():
        if found:
            return state, found[0]
    return "todo", None


def _step(
    user: User, permission: str, name: str, title: str, note: str, route: str = "", action: str = ""
) -> Step:
    if holds(user, permission):
        return Step(name, title, note, url=reverse(route) if route else "", action=action)
    return Step(name, title, note, who=_admins(permission))


def _admins(permission: str) -> list[str]:
    """Names of people who hold it, those who came first."""
    found = User.objects.with_perm(permission, backend=MODEL_BACKEND).order_by("pk")
    return list(found.values_list("username", flat=True)[:MAX_NAMED_ADMINS])
