"""Models, assistants, servers and skills are read for a person by one door each.

Whoever reads them by `offered()` or the like has to be named here, with why.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
PACKAGES = ("api", "chat", "config", "tools", "tracing")
# What does not ask for whom it is.
UNGUARDED = re.compile(
    r"\b(LanguageModel\.objects\.offered\(|Skill\.objects\.(filter|all)\(|"
    r"Preset\.objects\.(filter|all)\(|ServerTool\.objects\.callable\(\)|"
    r"Server\.objects\.filter\(|LanguageModel\.objects\.(filter|all|select_related)\()"
)
ALLOWED = {
    "api/gateway/callers.py": "the names that are refused to a caller",
    "chat/agent/skill_folders.py": "keeps the rows as the folders are",
    "chat/commands/branches.py": "the assistant that a turn of the branch has already",
    "chat/engine/generation/context_refusals.py": "the model that runs",
    "chat/engine/tool_calls/policies.py": "whether a server is the conversation's owner's",
    "chat/first_steps/steps.py": "whether any model is connected: what admins have done",
    "chat/listing/page.py": "the names of assistants that the user's conversations have",
    "chat/management/commands/setup.py": "a command of operators",
    "chat/offering.py": "which chosen servers are withheld",
    "chat/playground/runs.py": "the model of a run that was asked for",
    "chat/presets/forms.py": "whether a name is taken",
    "chat/presets/interchange.py": "whether a name is taken",
    "chat/presets/shipped.py": "a command of operators",
    "chat/presets/views.py": "the row of a form, which is found by `editable_by`",
    "chat/cassettes/builtin.py": "whether a name is taken",
    "chat/providers/checks.py": "a job on a model that was asked for",
    "chat/providers/forms.py": "a form of admins",
    "chat/providers/model_rows.py": "what admins do with models",
    "chat/providers/model_views.py": "pages of admins",
    "chat/providers/window_lookup.py": "a job on a model that was asked for",
    "chat/admin/setup.py": "pages of admins",
    "chat/providers/known_prices.py": "the prices of all models",
    "config/accounts/people/transfer.py": "what a leaving person owns",
    "chat/setup.py": "a command of operators",
    "chat/skills/uploads.py": "what admins do with skills",
    "chat/skills/views.py": "pages of admins",
    "chat/storage.py": "how much a person's rows are",
    "chat/trace_views/prompt/source.py": "the settings of a model that a trace names",
    "chat/trace_views/prompt/views.py": "what admins do with models",
    "tools/catalogue/registry.py": "what is there at all, in the terminal",
    "tools/health/checks.py": "jobs on servers",
    "tools/health/contacts.py": "what a contact found",
    "tools/accounts/sessions.py": "the server of a call that was found by the door",
    "tools/management/commands/mcp.py": "a command of operators",
    "tools/mcp/findings.py": "what a contact found",
    "tools/rights.py": "narrows tools of a server that was found by the door",
    "tools/servers/refreshing.py": "jobs on servers",
    "tools/servers/views.py": "narrows to the two doors",
    "tools/trials/running.py": "narrows to the door",
}


def unguarded() -> Iterator[str]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            is_of_model = "/models/" in name or "/migrations/" in name or "/tests/" in name
            if not is_of_model and UNGUARDED.search(path.read_text()):
                yield name


def test_who_reads_what_groups_are_given_goes_through_the_door() -> None:
    assert sorted(set(unguarded()) - set(ALLOWED)) == []


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_what_is_allowed_to_go_round_it_does(name: str) -> None:
    assert UNGUARDED.search((ROOT / name).read_text())
