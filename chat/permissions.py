"""The permissions of admins in the chat app; see `tracing.permissions`."""

from django.db.models import Q

from db.users import AnyUser
from languages.later import later
from tracing.permissions import holds, holds_within

CHANGE_PROVIDER = "chat.change_provider"
CHANGE_SKILL = "chat.change_skill"
CHANGE_PRESET = "chat.change_preset"
CHANGE_PROMPT_TEMPLATE = "chat.change_prompttemplate"
CHANGE_QUOTA = "chat.change_quotarule"

MEANINGS = {
    CHANGE_PROVIDER: later(
        "set up providers and models: keys, addresses, prices, which one is default"
    ),
    CHANGE_SKILL: later("add, switch and remove skills, with the scripts that lie in them"),
    CHANGE_PRESET: later(
        "publish assistants for everybody, and change and delete the published ones"
    ),
    CHANGE_PROMPT_TEMPLATE: later(
        "share prompts with everybody, and change and delete the shared ones"
    ),
    CHANGE_QUOTA: later("see what people and groups have used, and set their limits"),
}


def may_change_presets(user: AnyUser) -> bool:
    """Whether the user may change the deployment's presets. Everybody may change their own."""
    return holds(user, CHANGE_PRESET)


def changes(user: AnyUser, permission: str) -> Q:
    """Whether the user has this permission of the chat app, within a statement: who may change a
    kind of thing sees what is given to any group."""
    return holds_within(user, permission)


def may_share_prompts(user: AnyUser) -> bool:
    """Whether the user may share prompt templates. Everybody may change their own."""
    return holds(user, CHANGE_PROMPT_TEMPLATE)
