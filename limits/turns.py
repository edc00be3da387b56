"""Turns and agents."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_LEASE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Lease of a turn or call that its owner does not renew",
        "Another worker goes on from the journal",
    ),
] = timedelta(seconds=10)
MAX_RESUMED_TURNS: Annotated[
    int, Limit("turns", "Turns that a beat of a worker starts", "In the next beat")
] = 200
MAX_PROGRESS_MESSAGE: Annotated[int, Limit("characters", "Progress message of a call", "Cut")] = 200
MAX_KEPT_DESCRIPTION: Annotated[
    int, Limit("characters", "Description of a tool, kept with its call", "Cut")
] = 4_000
MAX_QUESTION_MESSAGE: Annotated[
    int, Limit("characters", "Message of a question to a person", "Cut")
] = 10_000
MAX_ROUNDS: Annotated[
    int,
    Limit(
        "rounds",
        "Model calls of a turn",
        "The turn ends with a sentence",
        "`AGENT_LIMITS`: `rounds`",
    ),
] = 50
MAX_SUBAGENT_ROUNDS: Annotated[
    int,
    Limit(
        "rounds",
        "Model calls of a subagent",
        "It ends; its last text is its result",
        "`AGENT_LIMITS`: `subagent_rounds`",
    ),
] = 30
MAX_TODOS: Annotated[
    int, Limit("items", "Todo list", "Refused; the old list stays", "`AGENT_LIMITS`: `todo_items`")
] = 20
MAX_SENT_TOOLS: Annotated[
    int,
    Limit(
        "tools",
        "Tools that go along with a request in full; 0 for all",
        "Found by `search_tools`",
        "`AGENT_LIMITS`: `tools_sent`",
    ),
] = 20
MAX_TOOL_S: Annotated[
    float,
    Limit(
        "seconds", "Tool call", "Ended; an error for the model", "`AGENT_LIMITS`: `tool_seconds`"
    ),
] = 60.0
MAX_ALL_ROUNDS: Annotated[
    int,
    Limit(
        "rounds",
        "Model calls of a turn and its subagents",
        "The turn ends with a sentence",
        "`TURN_CEILINGS`: `all_rounds`",
    ),
] = 200
MAX_ALL_CALLS: Annotated[
    int,
    Limit(
        "calls",
        "Tool calls of a turn and its subagents",
        "The turn ends with a sentence",
        "`TURN_CEILINGS`: `all_calls`",
    ),
] = 1_000
MAX_ROUND_CALLS: Annotated[
    int,
    Limit(
        "calls",
        "Tool calls of one answer",
        "The turn ends with a sentence",
        "`TURN_CEILINGS`: `calls_a_round`",
    ),
] = 64
MAX_TURN_TOKENS: Annotated[
    int,
    Limit(
        "tokens",
        "Tokens of a turn and its subagents, read and written",
        "The turn ends with a sentence",
        "`TURN_CEILINGS`: `tokens`",
    ),
] = 2_000_000
MAX_TURN_S: Annotated[
    float,
    Limit(
        "seconds",
        "Turn with its subagents, waits for a person excepted; one answer",
        "The turn ends with a sentence",
        "`TURN_CEILINGS`: `seconds`",
    ),
] = 3_600.0
MAX_RESPONSE_BYTES: Annotated[
    int,
    Limit("bytes", "Answer of a model", "The attempt fails", "`TURN_CEILINGS`: `response_bytes`"),
] = 16 * 1024 * 1024
MAX_ROUND_RESULT_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "All tool results of a round",
        "The turn ends with a sentence",
        "`TURN_CEILINGS`: `result_bytes`",
    ),
] = 64 * 1024 * 1024
