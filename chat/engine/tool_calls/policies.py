"""Whether a call may run at once (`allow`), needs a person's consent (`ask`), or may not (`deny`).

    the preset's first pattern that matches, else the policy of the tool or of its server
        └─ ask, and granted for this conversation ─► allow

A preset of the deployment is written by admins and may have any policy. A preset that a person owns
can only be stricter than the tool's own policy: it never turns `deny` or `ask` into less.

While answers are compared, several turns work in one workspace and with the same servers: what may
run at once then is what may also be repeated (`Tool.idempotent`); any other call needs consent.

Where others write too (`ConversationShare`), a call with an account of the owner's waits for the
owner, whatever the policy allows, unless the owner granted the tool.

A grant (`Conversation.granted`) answers `ask`, and only for the tool whose hash it names; it never
overrules `deny`. Local tools are `allow`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypedDict

from chat.models import Conversation, Preset
from tools.catalogue import registry
from tools.models import Policy, Server
from tools.values.server_config import NeedsAccount
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
_BY_STRICTNESS = (Policy.ALLOW, Policy.ASK, Policy.DENY)


class Grant(TypedDict):
    """An entry of `Conversation.granted`: a tool, by the hash of its definition."""

    tool: str
    hash: str


@dataclass(frozen=True)
class Verdict:
    """The state in which a call begins, and the sentence for the model if that is `denied`."""

    status: Span.Status
    sentence: str = ""


def judge(
    name: str,
    tool: Tool | None,
    preset: Preset | None,
    conversation: Conversation,
    *,
    is_compared: bool = False,
) -> Verdict:
    """The state in which a call of `name` begins. A call of an unknown tool may run: its result
    says that there is no such tool."""
    if tool is None:
        if registry.waits_for_review(name, conversation.owner):
            return Verdict(Span.Status.DENIED, CHANGED)
        return Verdict(Span.Status.APPROVED)
    policy = effective(tool, preset)
    if policy == Policy.ALLOW and is_compared and not tool.idempotent:
        policy = Policy.ASK
    if policy == Policy.ASK and is_granted(tool, conversation.top.granted):
        policy = Policy.ALLOW
    return Verdict(STATUS[policy], DENIED if policy == Policy.DENY else "")


def asks_owner(tool: Tool | None, conversation: Conversation, *, of_member: bool) -> bool:
    """Whether a call needs the consent of the conversation's owner in person: others write in it,
    and the tool acts with an account or a server of the owner's."""
    if tool is None or tool.config is None:
        return False
    top = conversation.top
    if not (of_member or top.is_shared_to_write):
        return False
    if isinstance(tool.config.sign_in, NeedsAccount):
        return True
    return Server.objects.filter(name=tool.server, owner=conversation.owner_id).exists()


def with_owner(verdict: Verdict, tool: Tool, conversation: Conversation) -> Verdict:
    """The verdict on a call that needs the owner's consent: it waits, unless the owner allowed the
    tool for the conversation."""
    is_free = verdict.status == Span.Status.APPROVED
    if is_free and not is_granted(tool, conversation.top.granted):
        return Verdict(Span.Status.AWAITING_APPROVAL)
    return verdict


def is_granted(tool: Tool, granted: Sequence[Grant]) -> bool:
    """Whether a person has allowed this tool, with this hash, for the conversation."""
    return Grant(tool=tool.name, hash=tool.hash) in granted


def effective(tool: Tool, preset: Preset | None) -> Policy:
    """The policy of this tool with this preset, before grants."""
    tool_policy = _parse(tool.policy)
    matches = (
        _parse(policy)
        for glob, policy in (preset.policies if preset else ())
        if fnmatchcase(tool.name, glob)
    )
    preset_policy = next(matches, tool_policy)
    if preset is None or preset.owner_id is None:
        return preset_policy
    return max(tool_policy, preset_policy, key=_BY_STRICTNESS.index)


def _parse(policy: str) -> Policy:
    """An unknown policy counts as `ask`."""
    return Policy(policy) if policy in Policy.values else Policy.ASK
