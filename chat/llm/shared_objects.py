"""The objects of a provider's key that a request refers to: files, answers, containers.

They belong to everybody who has the key. A name that ends with `_id` is one unless it is known to
be something else.
"""

import re
from typing import Any

from chat.llm.request_members import Member, Object, items_of

# Ids that a caller makes up, or that name a part of the same body.
_OWN_IDS = frozenset(
    {
        *("tool_call_id", "tool_use_id", "tool_id", "call_id", "approval_request_id"),
        *("user_id", "session_id", "request_id", "trace_id"),
    }
)
_OWN_ENDINGS = ("token_id", "token_ids")
_ENDINGS = ("_id", "_ids")
# A text here is the id or the address of an object.
_REFERENCES = frozenset(
    {
        "conversation",
        "container",
        "preset",
        "cached_content",
        "cachedcontent",
        "file_uri",
        "fileuri",
    }
)
# An object here is one of the key's if it has an `id`.
_WITH_ID = frozenset({"conversation", "container", "prompt", "audio", "voice"})


# OpenRouter's address of a preset, alone or after a model.
_PRESET = "@preset/"
# In which an item of a conversation brings what it says.
_CONTENTS = frozenset(
    {
        *("content", "result", "output", "arguments", "input", "action", "encrypted_content"),
        *("code", "queries", "tools", "results", "operation"),
    }
)

# Names under which a request says, beside its `model`, which model answers.
_SAYS_MODEL = re.compile("model|fallback|preset", re.IGNORECASE)


def says_model(name: str) -> bool:
    """Whether a member of this name may say which model answers."""
    return _SAYS_MODEL.search(name) is not None


def reference_in(members: list[Member]) -> str:
    """The name of the first member that refers to an object of the key, "" if none does."""
    return next((member.name for member in members if _refers(member)), "")


def _refers(member: Member) -> bool:
    name, value = member.name.casefold(), member.value
    if not value:  # clients write null, "" or [] for none
        return False
    if name == "input" and isinstance(value, list):
        return any(_is_by_id(item) for item in value)
    if says_model(name) and any(_PRESET in one for one in items_of(value) if isinstance(one, str)):
        return True
    if isinstance(value, Object):
        return name in _WITH_ID and bool(value.get("id"))
    if member.name.endswith(("Id", "Ids")):
        return True
    is_own = name in _OWN_IDS or name.endswith(_OWN_ENDINGS)
    return name in _REFERENCES or (name.endswith(_ENDINGS) and not is_own)


def _is_by_id(item: Any) -> bool:
    """An item of a conversation that is elsewhere: of that type, or with an id and no content. An
    item of reasoning is sent back like that by clients, and shows nothing of what it holds."""
    if not isinstance(item, Object):
        return False
    kind = item.get("type")
    if kind == "item_reference" or not (kind or item.get("content")):
        return True
    has_content = any(item.get(name) for name in _CONTENTS)
    return bool(item.get("id")) and kind != "reasoning" and not has_content
