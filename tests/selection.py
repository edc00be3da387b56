"""Which tests run where: the marks of a test, by the place of its file and by its fixtures.

`make quick` runs what has none of `browser`, `process` and `long`; `make test` all but `soak`, and
once more on PostgreSQL what has `postgres`; `make soak` everything, and on PostgreSQL all that has
`engine`.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

BROWSER = ("tests/browser", "chat/tests/page", "tracing/tests/browser")
FAULT = (
    "tests/chaos/test_chaos.py",
    "tests/fairness",
    "tests/faults",
    "tests/machines",
    "tests/packaging/test_wheel.py",
    "tests/supervision",
)

# Where most tests start a process: a product, an MCP server, a sandbox, a command, Redis.
PROCESS = (
    "benchmarks/tests/test_bench.py",
    "benchmarks/tests/test_processes.py",
    "chat/tests/again/test_command.py",
    "chat/tests/engine/tool_calls/test_actions.py",
    "chat/tests/engine/tool_calls/test_approvals.py",
    "chat/tests/engine/context/test_compaction.py",
    "chat/tests/engine/worker/test_export.py",
    "chat/tests/engine/worker/test_shutdown.py",
    "chat/tests/engine/worker/test_worker_timer.py",
    "chat/tests/engine/context/test_narrow_window.py",
    "chat/tests/engine/tool_calls/test_questions.py",
    "chat/tests/engine/turn/test_stop_faults.py",
    "chat/tests/engine/subagents/test_subagent_approvals.py",
    "chat/tests/files/test_sandbox_files.py",
    "chat/tests/llm/test_chat_template.py",
    "chat/tests/llm/test_wires.py",
    "chat/tests/providers/test_template_check.py",
    "chat/tests/replay/test_code.py",
    "chat/tests/live/test_questions.py",
    "chat/tests/llm/test_exactness.py",
    "chat/tests/live/test_subagents.py",
    "chat/tests/live/test_missed_endings.py",
    "config/tests/command_line/test_processes.py",
    "config/tests/test_bootstrap.py",
    "config/tests/test_extras.py",
    "config/tests/test_prepare.py",
    "config/tests/test_settings.py",
    "config/tests/test_waiting.py",
    "tests/access",
    "tests/chaos/test_chaos.py",
    "tests/chaos/test_grounds.py",
    "tests/conformance",
    "tests/budgets",
    "tests/upgrade",
    "tests/fairness",
    "tests/faults",
    "tests/machines",
    "tests/phoenix",
    "tests/supervision",
    "tools/tests/registration/test_advice.py",
    "tools/tests/registration/test_changes.py",
    "tools/tests/registration/test_checks.py",
    "tools/tests/registration/test_contacts.py",
    "tools/tests/mcp/test_content.py",
    "tools/tests/mcp/test_elicitation.py",
    "tools/tests/definitions/test_hostile_schemas.py",
    "tools/tests/mcp/test_hostile_servers.py",
    "tools/tests/mcp/test_listing.py",
    "tools/tests/mcp/test_logs.py",
    "tools/tests/mcp/test_mcp_command.py",
    "tools/tests/mcp/test_memo.py",
    "tools/tests/mcp/test_pool.py",
    "tools/tests/mcp/test_processes.py",
    "tools/tests/workspace/test_sandbox.py",
    "tools/tests/workspace/test_sandbox_ends.py",
    "tools/tests/local/test_shell.py",
    "tools/tests/mcp/test_sqlite_server.py",
    "tools/tests/mcp/test_stdio_servers.py",
    "tools/tests/trials/test_trials.py",
    "tools/tests/workspace/test_unsandboxed.py",
)
PROCESS_FIXTURES = {"redis_process", "redis_server"}

# Seconds of computing, of waiting for a server that does not answer, or of all faults in turn.
# Single tests of other files are marked where they are.
LONG = (
    "chat/tests/again",
    "chat/tests/engine/tool_calls/test_call_faults.py",
    "chat/tests/engine/context/test_compaction_faults.py",
    "chat/tests/engine/turn/test_partial_faults.py",
    "chat/tests/engine/generation/test_provider_faults.py",
    "chat/tests/engine/generation/test_retry_faults.py",
    "chat/tests/engine/generation/test_wires.py",
    "chat/tests/markdown/test_bounds.py",
    "tests/fuzz",
    "tools/tests/mcp/test_http_servers.py",
    "tools/tests/mcp/test_oauth.py",
    "tools/tests/mcp/test_sse_servers.py",
    "tracing/tests/store/test_500_rounds.py",
)

# An install from npm's registry and a process for each of 50 scenarios, twice.
SOAK = ("tests/conformance",)

# Whose statements have to mean the same to both databases.
ENGINE = (
    "api/tests/gateway/test_loops.py",
    "api/tests/gateway/test_recording.py",
    "api/tests/mcp_server/test_authorization.py",
    "api/tests/test_idempotency.py",
    "audit/tests",
    "chat/tests/engine",
    "chat/tests/quotas",
    "chat/tests/search",
    "chat/tests/webhooks",
    "config/accounts/tests/invitations",
    "config/accounts/tests/oidc/test_liars.py",
    "tokens/tests",
    "tracing/tests",
    "db/tests",
    "jobs/tests",
)
# Of those, the ones that vary what a provider, a tool or a text does. The statements with which the
# engine answers are those of the others; `make soak` repeats these on PostgreSQL too.
ENGINE_BESIDE_THE_DATABASE = (
    "chat/tests/engine/generation/test_attachments.py",
    "chat/tests/engine/tool_calls/test_call_faults.py",
    "chat/tests/engine/context/test_compaction_costs.py",
    "chat/tests/engine/context/test_compaction_faults.py",
    "chat/tests/engine/generation/test_evidence_faults.py",
    "chat/tests/engine/worker/test_export.py",
    "chat/tests/engine/context/test_narrow_window.py",
    "chat/tests/engine/turn/test_partial_faults.py",
    "chat/tests/engine/generation/test_provider_faults.py",
    "chat/tests/engine/generation/test_repeated_key.py",
    "chat/tests/engine/tool_calls/test_result_content.py",
    "chat/tests/engine/generation/test_retry_faults.py",
    "chat/tests/engine/tool_calls/test_skill_scripts.py",
    "chat/tests/engine/turn/test_stop_faults.py",
    "chat/tests/engine/generation/test_tool_choice.py",
    "chat/tests/engine/turn/test_unreachable.py",
    "chat/tests/engine/generation/test_wires.py",
    "chat/tests/engine/tool_calls/test_workspace.py",
    "chat/tests/engine/turn/test_zones.py",
    "tracing/tests/otel",
    "tracing/tests/store/test_500_rounds.py",
)
DATABASE_FIXTURES = {"db", "transactional_db"}

PLACES = {
    "browser": BROWSER,
    "fault": FAULT,
    "process": PROCESS,
    "long": LONG,
    "soak": SOAK,
    "engine": ENGINE,
}


def marks(item: pytest.Item) -> Iterator[str]:
    """The names of its marks."""
    path = item.path.relative_to(ROOT)
    yield from marks_of_file(path)
    if not PROCESS_FIXTURES.isdisjoint(fixtures(item)):
        yield "process"
    beside = is_in(path, ENGINE_BESIDE_THE_DATABASE) or is_in(path, BROWSER)
    if is_in(path, ENGINE) and uses_database(item) and not beside:
        yield "postgres"


@cache
def marks_of_file(path: Path) -> tuple[str, ...]:
    return tuple(mark for mark, places in PLACES.items() if is_in(path, places))


@cache
def is_in(path: Path, places: tuple[str, ...]) -> bool:
    return any(map(path.is_relative_to, places))


def fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


def uses_database(item: pytest.Item) -> bool:
    """By a fixture, a mark, or as a test case of Django's."""
    asked = not DATABASE_FIXTURES.isdisjoint(fixtures(item))
    return asked or item.get_closest_marker("django_db") is not None or is_test_case(item)


def is_test_case(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and item.cls is not None and hasattr(item.cls, "setUp")
