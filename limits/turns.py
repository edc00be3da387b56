"""Turns and agents."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_LEASE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Age of an unrenewed lease of a turn or call",
        "Another worker takes over from the journal",
    ),
] = timedelta(seconds=10)
MAX_RESUMED_TURNS: Annotated[
    int,
    Limit("turns", "Turns that one tick of a worker's timer starts", "Started at the next tick"),
] = 200
MAX_PROGRESS_MESSAGE: Annotated[
    int, Limit("characters", "Progress message of a call", "Truncated")
] = 200
MAX_KEPT_DESCRIPTION: Annotated[
    int, Limit("characters", "Description of a tool, stored with its call", "Truncated")
] = 4_000
MAX_QUESTION_MESSAGE: Annotated[
    int, Limit("characters", "Question of a server to a person", "Truncated")
] = 10_000
MAX_ROUNDS: Annotated[
    int,
    Limit(
        "rounds",
        "Model calls of a turn",
        "The turn ends with an error message",
        "`AGENT_LIMITS`: `rounds`",
    ),
] = 50
MAX_SUBAGENT_ROUNDS: Annotated[
    int,
    Limit(
        "rounds",
        "Model calls of a subagent",
        "The subagent ends; its last text is its result",
        "`AGENT_LIMITS`: `subagent_rounds`",
    ),
] = 30
MAX_TODOS: Annotated[
    int,
    Limit(
        "items",
        "Entries of a todo list",
        "Refused; the list stays as it was",
        "`AGENT_LIMITS`: `todo_items`",
    ),
] = 20
MAX_SENT_TOOLS: Annotated[
    int,
    Limit(
        "tools",
        "Tool definitions that are sent with a request; 0 for all",
        "The others are found by `search_tools`",
        "`AGENT_LIMITS`: `tools_sent`",
    ),
] = 20
MAX_TOOL_S: Annotated[
    float,
    Limit(
        "seconds",
        "Duration of a tool call",
        "The call is ended; the model gets the error",
        "`AGENT_LIMITS`: `tool_seconds`",
    ),
] = 60.0
MAX_ALL_ROUNDS: Annotated[
    int,
    Limit(
        "rounds",
        "Model calls of a turn and its subagents",
        "The turn ends with an error message",
        "`TURN_CEILINGS`: `all_rounds`",
    ),
] = 200
MAX_ALL_CALLS: Annotated[
    int,
    Limit(
        "calls",
        "Tool calls of a turn and its subagents",
        "The turn ends with an error message",
        "`TURN_CEILINGS`: `all_calls`",
    ),
] = 1_000
MAX_ROUND_CALLS: Annotated[
    int,
    Limit(
        "calls",
        "Tool calls in one response",
        "The turn ends with an error message",
        "`TURN_CEILINGS`: `calls_a_round`",
    ),
] = 64
MAX_TURN_TOKENS: Annotated[
    int,
    Limit(
        "tokens",
        "Input and output tokens of a turn and its subagents",
        "The turn ends with an error message",
        "`TURN_CEILINGS`: `tokens`",
    ),
] = 2_000_000
MAX_TURN_S: Annotated[
    float,
    Limit(
        "seconds",
        "Duration of a turn with its subagents, without waits for a person; and of one response",
        "The turn ends with an error message",
        "`TURN_CEILINGS`: `seconds`",
    ),
] = 3_600.0
MAX_RESPONSE_BYTES: Annotated[
    int,
    Limit(
        "bytes", "Response of a provider", "The attempt fails", "`TURN_CEILINGS`: `response_bytes`"
    ),
] = 16 * 1024 * 1024
MAX_ROUND_RESULT_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "All tool results of a round",
        "The turn ends with an error message",
        "`TURN_CEILINGS`: `result_bytes`",
    ),
] = 64 * 1024 * 1024
