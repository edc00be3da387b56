"""Which of the tools that ship with this program may be called here.

    local.TOOLS ─ nothing is missing ─► not switched off by an admin ─► usable, by its policy

One without a row is as the program has it: on, unless it is `off_by_default`.
"""

from dataclasses import dataclass, replace

from tools import local
from tools.definitions import quality
from tools.definitions.quality import Quality
from tools.definitions.relevance import parameters_of
from tools.models import LocalTool, Policy
from tools.values.tool import Tool
from tracing.formatting.text import with_full_stop


@dataclass(frozen=True)
class BuiltIn:
    """A tool of this program, with the policy that counts, and its switch."""

    tool: Tool
    enabled: bool

    @property
    def missing(self) -> str:
        """What the deployment lacks for it. To find out may take a moment, so that only those are
        asked that are on."""
        return self.tool.missing()

    @property
    def quality(self) -> Quality:
        return quality.of(self.tool.name, self.tool.description, self.tool.parameters)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Name and description of each."""
        found = parameters_of(self.tool.parameters).items()
        return [(name, str(schema.get("description") or "")) for name, schema in found]

    @property
    def is_usable(self) -> bool:
        return self.enabled and not self.missing


def built_in() -> list[BuiltIn]:
    """All tools of this program, in the order in which they are offered. One query."""
    decided = {name: (enabled, policy) for name, enabled, policy in LocalTool.objects.decisions()}
    return [_judged(tool, decided.get(tool.name)) for tool in local.TOOLS]


def usable() -> list[Tool]:
    """Those that a model may call."""
    return [one.tool for one in built_in() if one.is_usable]


def find(name: str) -> Tool | None:
    """The usable tool of this name. Without a query, if there is no such tool."""
    if all(tool.name != name for tool in local.TOOLS):
        return None
    return next((tool for tool in usable() if tool.name == name), None)


def why_off(name: str) -> str:
    """What a model is told that calls a tool of this program which cannot be called here; "" if it
    can, or if there is no such tool."""
    known = next((one for one in built_in() if one.tool.name == name), None)
    if known is None or known.is_usable:
        return ""
    why = "an admin switched it off" if not known.enabled else "it is not set up"
    return f"The tool {name} is not available here: {with_full_stop(why)} Go on without it."


def switch(name: str, *, enabled: bool | None = None, policy: str | None = None) -> None:
    """Keeps what an admin decided; what is None stays as it is. Raises `KeyError` for a name that
    is no tool's, `ValueError` for an unknown policy."""
    known = {one.tool.name: one for one in built_in()}[name]
    LocalTool.objects.update_or_create(
        name=name,
        defaults={
            "enabled": known.enabled if enabled is None else enabled,
            "policy": Policy(known.tool.policy if policy is None else policy).value,
        },
    )


def _judged(tool: Tool, decided: tuple[bool, str] | None) -> BuiltIn:
    if decided is None:
        return BuiltIn(tool, not tool.off_by_default)
    enabled, policy = decided
    return BuiltIn(replace(tool, policy=policy), enabled)
