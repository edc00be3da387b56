"""What a call needs with a preset of the deployment's, and with one that a person owns."""

import pytest

from chat.engine.tool_calls.policies import effective, judge
from chat.models import Conversation, Preset
from tools.values.tool import Tool

OWNED, PUBLISHED = 7, None


def needed(own: str, said: str | None, owner: int | None) -> str:
    policies = [] if said is None else [["files-*", said]]
    tool = Tool("files-read", "", {}, policy=own)
    return str(effective(tool, Preset(owner_id=owner, policies=policies)))


@pytest.mark.parametrize("own", ["allow", "ask", "deny"])
@pytest.mark.parametrize("said", ["allow", "ask", "deny"])
def test_an_admins_preset_says_what_it_likes(own: str, said: str) -> None:
    assert needed(own, said, PUBLISHED) == said


@pytest.mark.parametrize(
    ("own", "said", "found"),
    [
        ("deny", "allow", "deny"),
        ("deny", "ask", "deny"),
        ("ask", "allow", "ask"),
        ("ask", "deny", "deny"),
        ("allow", "ask", "ask"),
        ("allow", "deny", "deny"),
        ("allow", "allow", "allow"),
    ],
)
def test_a_persons_own_preset_only_makes_things_stricter(own: str, said: str, found: str) -> None:
    assert needed(own, said, OWNED) == found


@pytest.mark.parametrize("own", ["allow", "ask", "deny"])
def test_without_a_fitting_pattern_the_tools_own_policy_counts(own: str) -> None:
    assert needed(own, None, OWNED) == needed(own, None, PUBLISHED) == own


def test_the_first_fitting_pattern_counts() -> None:
    policies = [["files-*", "deny"], ["*", "allow"]]
    assert effective(Tool("files-read", "", {}), Preset(policies=policies)) == "deny"


def test_a_policy_that_nobody_can_have_meant_is_asked_about() -> None:
    assert needed("allow", "alow", PUBLISHED) == "ask"
    assert needed("always", None, OWNED) == "ask"


@pytest.mark.parametrize(
    ("own", "granted", "status"),
    [
        ("ask", False, "awaiting_approval"),
        ("ask", True, "approved"),
        ("deny", True, "denied"),
    ],
)
def test_what_a_person_allows_for_a_conversation_answers_a_question_and_no_refusal(
    own: str, granted: bool, status: str
) -> None:
    tool = Tool("files-read", "", {}, policy=own, hash="h")
    row = Conversation(granted=[{"tool": "files-read", "hash": "h"}] if granted else [])
    preset = Preset(owner_id=OWNED, policies=[["*", "allow"]])
    assert judge("files-read", tool, preset, row).status == status
