"""What is tried from a page: the log grows, the trace stays, the configuration is forgotten."""

from dataclasses import asdict
from typing import Any

import pytest
from django.contrib.auth.models import User

import jobs
from limits.tools import MAX_KEPT_TRIALS
from tools.mcp import listing
from tools.models import Server, ServerTool, Trial
from tools.tasks import try_once
from tools.tests.calling import Caller, odd
from tools.trials import trials
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = [pytest.mark.process, pytest.mark.django_db(transaction=True)]

SECRET = "canary-of-a-trial-3f"


@pytest.fixture
def admin() -> User:
    return User.objects.create_user("admin", is_staff=True, is_superuser=True)


@pytest.fixture
def echo(caller: Caller) -> ServerTool:
    program = odd()
    server = Server.objects.create(
        name="odd", command=program.command, args=list(program.args), policy="allow"
    )
    listing.refresh(server)
    return server.tools.get(name="echo")


def tried(user: User, config: Any) -> Trial:
    trial = Trial.objects.create(user=user, config=asdict(config))
    try_once(trial.pk)
    trial.refresh_from_db()
    return trial


def called(user: User, tool: ServerTool, arguments: str) -> Trial:
    trial = Trial.objects.create(
        user=user, server=tool.server, kind="call", tool=tool.name, arguments=arguments
    )
    try_once(trial.pk)
    trial.refresh_from_db()
    return trial


def test_a_connection_is_tried_without_registering_it(admin: User, caller: Caller) -> None:
    trial = tried(admin, odd())
    assert trial.state == Trial.State.SUCCEEDED
    assert "echo" in [tool["name"] for tool in trial.found["tools"]]
    assert not Server.objects.exists()


def test_the_log_tells_what_was_said_in_both_directions(admin: User, caller: Caller) -> None:
    log = tried(admin, odd()).log
    kinds = [entry["kind"] for entry in log]
    assert kinds[0] == "step"
    assert kinds[-1] == "done"
    assert {"sent", "received"} <= set(kinds)
    assert [entry["text"] for entry in log if entry["text"].startswith("tools/list")]


def test_what_is_missing_in_a_list_is_in_the_log(admin: User, caller: Caller) -> None:
    trial = tried(admin, odd("--endless"))
    assert "cut after 10 pages" in trial.log[-2]["text"]
    assert "cut after 10 pages" in trial.found["notes"][0]


def test_a_failed_start_shows_why_and_keeps_no_secret(admin: User, caller: Caller) -> None:
    trial = tried(admin, odd(command="/no/such/program", env=(("TOKEN", SECRET),)))
    assert trial.state == Trial.State.FAILED
    assert trial.log[-1]["kind"] == "failed"
    assert trial.advice == "Install it, or write its whole path."
    assert trial.config == {}
    assert SECRET not in str(trial.log)


def test_a_tool_is_called_and_its_trace_is_the_users(
    admin: User, echo: ServerTool, caller: Caller
) -> None:
    trial = called(admin, echo, '{"text": "hello"}')
    assert trial.state == Trial.State.SUCCEEDED, trial.error
    assert trial.found["content"][0]["text"]
    assert trial.trace is not None
    assert trial.trace.archive.owner == admin
    call = trial.trace.spans.get(kind=Span.Kind.TOOL)
    assert set(call.payloads.values_list("stage", flat=True)) >= {"arguments", "result", "frames"}
    shown = Payload.objects.select_related("span__trace").get(span=call, stage="shown")
    assert payloads.load(shown)


def test_arguments_that_do_not_fit_are_not_sent(
    admin: User, echo: ServerTool, caller: Caller
) -> None:
    trial = called(admin, echo, "[]")
    assert trial.state == Trial.State.FAILED
    assert "must be a JSON object" in trial.error


def test_a_tool_of_a_server_that_is_not_shared_with_the_user_is_not_called(
    echo: ServerTool, caller: Caller
) -> None:
    Server.objects.update(shared=Server.Shared.STAFF)
    trial = called(User.objects.create_user("somebody"), echo, "{}")
    assert trial.state == Trial.State.FAILED
    assert "no longer available" in trial.error


def test_a_trial_that_is_rung_twice_is_tried_once(admin: User, caller: Caller) -> None:
    trial = tried(admin, odd())
    Trial.objects.update(error="seen")
    try_once(trial.pk)
    trial.refresh_from_db()
    assert trial.error == "seen"


def test_only_the_last_trials_of_a_user_are_kept(admin: User) -> None:
    for _ in range(MAX_KEPT_TRIALS + 3):
        Trial.objects.create(user=admin)
    trials._ask(Trial(user=admin))
    assert Trial.objects.count() == MAX_KEPT_TRIALS


def test_an_error_that_databases_refuse_ends_the_trial_all_the_same(admin: User) -> None:
    trial = Trial.objects.create(user=admin, state=Trial.State.RUNNING)
    jobs.finish(trials.TRIAL, trial, "answered with \0 and \ud800")
    trial.refresh_from_db()
    assert trial.is_over
    assert trial.error.startswith("answered with \N{REPLACEMENT CHARACTER} and ")


def test_a_call_of_a_server_that_is_gone_says_what_to_do(
    admin: User, echo: ServerTool, caller: Caller
) -> None:
    Server.objects.update(command="/no/such/program")
    trial = called(admin, echo, "{}")
    assert "was not found" in trial.error
    assert trial.advice == "Install it, or write its whole path."


def test_an_error_of_a_tool_is_no_error_of_its_server(admin: User, echo: ServerTool) -> None:
    error = "No connection to the server odd: answered HTTP 404 Not Found."
    trial = Trial(user=admin, server=echo.server, kind="call", error=error)
    assert trial.advice == ""
