"""What a call needs before it may run: nothing, a person's consent, or it may not run at all.

    preset's first fitting pattern ─► else the tool's, which is its own or its server's ─► ask?
                                                                 └─ granted here ─► allow

A preset of the deployment's is written by admins, and says what it likes. One that a person owns
can only make things stricter than the tool's own policy: what an admin denies stays denied, and
what needs consent still needs it.

A grant (`Conversation.granted`) answers an `ask`, wherever that comes from, and only for the tool
as it was when the grant was given; it never overrules a `deny`. Local tools are `allow`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from chat.models import Conversation, Preset
from tools.catalogue import registry
from tools.models import Policy
from tools.values.tool import Tool
from tracing.models import Span

DENIED = (
    "This tool may not be called: the settings of this chat deny it. Do not call it again; say so "
    "if the task needs it."
)
CHANGED = (
    "This call was not run: the server changed this tool; an admin has to look at it first. Go on "
    "without it, or say that it is needed."
)
STATUS = {
    Policy.ALLOW: Span.Status.APPROVED,
    Policy.ASK: Span.Status.AWAITING_APPROVAL,
    Policy.DENY: Span.Status.DENIED,
}
_STRICTER = (Policy.ALLOW, Policy.ASK, Policy.DENY)


@dataclass(frozen=True)
class Verdict:
    """The state in which a call begins, and the sentence for the model if that is `denied`."""

    status: Span.Status
    sentence: str = ""


def judge(
    name: str, tool: Tool | None, preset: Preset | None, conversation: Conversation
) -> Verdict:
    """How a call of `name` begins. An unknown tool may run: that is how the model is told of it."""
    if tool is None:
        if registry.waits_for_review(name, conversation.owner):
            return Verdict(Span.Status.DENIED, CHANGED)
        return Verdict(Span.Status.APPROVED)
    policy = effective(tool, preset)
    if policy == Policy.ASK and is_granted(tool, conversation.top.granted):
        policy = Policy.ALLOW
    return Verdict(STATUS[policy], DENIED if policy == Policy.DENY else "")


def is_granted(tool: Tool, granted: Sequence[dict[str, Any]]) -> bool:
    """Whether a person has allowed this very tool for the conversation."""
    return {"tool": tool.name, "hash": tool.hash} in granted


def effective(tool: Tool, preset: Preset | None) -> Policy:
    """What a call of this tool needs with this preset, before anything is granted."""
    own = _known(tool.policy)
    fitting = (
        _known(policy)
        for glob, policy in (preset.policies if preset else ())
        if fnmatchcase(tool.name, glob)
    )
    said = next(fitting, own)
    if preset is None or preset.owner_id is None:
        return said
    return max(own, said, key=_STRICTER.index)


def _known(policy: str) -> Policy:
    """What nobody can have meant is asked about."""
    return Policy(policy) if policy in Policy.values else Policy.ASK
