"""The scope that each tool needs; all else needs the one to read traces."""

from tokens.models import Scope

READING = Scope.TRACES
OF_TOOLS = {
    "search_traces": Scope.TRACES,
    "read_trace": Scope.TRACES,
    "read_round": Scope.TRACES,
    "read_stage": Scope.TRACES,
    "compare_rounds": Scope.TRACES,
    "list_errors": Scope.TRACES,
    "list_assistants": Scope.CHAT,
    "run_playground": Scope.CHAT,
    "start_turn": Scope.CHAT,
    "wait_for_turn": Scope.CHAT,
}
_READS = ("resources/read", "resources/list", "prompts/get")
# What a program is asked to ask for when it comes without a token.
ALL = (Scope.TRACES, Scope.CHAT)


def scope_of(method: object, name: object) -> Scope | None:
    """The scope for a JSON-RPC request; None if any token will do."""
    if method == "tools/call":
        return OF_TOOLS.get(name) if isinstance(name, str) else None
    return READING if method in _READS else None
