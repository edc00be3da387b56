"""Which tools a request has, if more are offered than `Limits.tools_sent`.

They are chosen in this order, until the number is reached:

    tools that the conversation names (opt-in), `search_tools`
    tools that a search activated, or that were called: the latest first
    tools that match the user's latest messages: five for each, from the newest to the oldest
    other tools that match the oldest of these; then the rest in the order of the offer

A request with the same tools as the one before is a hit in the provider's cache: a new message adds
the tools that it needs and the others stay, and within a turn only a search, or a call of a tool
that was not sent, changes them. They are sent in the order of the offer.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from chat.agent.limits import limits
from chat.llm.messages import Message, text_of
from chat.models import Conversation, LanguageModel
from tools.catalogue import switches
from tools.definitions.relevance import Index
from tools.local.agent import SEARCH_TOOLS
from tools.values.tool import Tool
from tracing.models.attributes import GenerationAttributes

# Tools that match a message, for each of the user's latest messages.
FOR_EACH_MESSAGE = 5
MESSAGES = 12


@dataclass(frozen=True)
class ToolChoice:
    """The tools that are sent; `available` counts those that are offered."""

    tools: list[Tool]
    available: int

    def with_tool(self, tool: Tool) -> "ToolChoice":
        """The same with one more tool."""
        return ToolChoice([*self.tools, tool], self.available + 1)

    @property
    def names(self) -> set[str]:
        """The names of the tools that are sent."""
        return {tool.name for tool in self.tools}

    @property
    def left_out(self) -> int:
        return self.available - len(self.tools)

    @property
    def attributes(self) -> GenerationAttributes:
        """For the generation's span: {} if all are sent."""
        if not self.left_out:
            return {}
        return {"tools": {"available": self.available, "sent": len(self.tools)}}


def choose_tools(
    tools: Sequence[Tool],
    conversation: Conversation,
    model: LanguageModel,
    messages: Sequence[Message],
) -> ToolChoice:
    """Which of a conversation's `tools` its next request has. Needs a query if there are too
    many."""
    max_tools = limits(conversation, model).tools_sent
    if not max_tools or len(tools) <= max_tools:
        return ToolChoice(list(tools), len(tools))
    tools = _with_search(tools)
    return ToolChoice(choose(tools, conversation.activated, messages, max_tools), len(tools))


def choose(
    tools: Sequence[Tool], activated: Sequence[str], messages: Sequence[Message], max_tools: int
) -> list[Tool]:
    """`max_tools` of these tools (more, if more of them are opt-in), in their own order. A pure
    function."""
    by_priority = dict.fromkeys(
        [
            *(tool.name for tool in tools if tool.opt_in),
            *activated,
            *_called(messages),
            *(tool.name for tool in _relevant(tools, messages)),
            *(tool.name for tool in tools),
        ]
    )
    offered = {tool.name for tool in tools}
    opt_in = sum(tool.opt_in for tool in tools)
    names = set(islice((name for name in by_priority if name in offered), max(max_tools, opt_in)))
    return [tool for tool in tools if tool.name in names]


def _with_search(tools: Sequence[Tool]) -> list[Tool]:
    """The tools with `search_tools` behind the other local tools; without it if an admin has
    switched it off."""
    if any(tool.name == SEARCH_TOOLS.name for tool in tools):
        return list(tools)
    search = switches.find(SEARCH_TOOLS.name)
    local = [tool for tool in tools if not tool.server]
    return [*local, *([search] if search else []), *(tool for tool in tools if tool.server)]


def _called(messages: Sequence[Message]) -> Iterator[str]:
    """The names of the tools that were called, the latest first."""
    for message in reversed(messages):
        for call in reversed(message.get("tool_calls") or ()):
            yield call["function"]["name"]


def _relevant(tools: Sequence[Tool], messages: Sequence[Message]) -> Iterable[Tool]:
    """The tools that match the user's latest messages, by priority."""
    index = Index(tools)
    questions = [
        text_of(message.get("content")) for message in messages if message["role"] == "user"
    ]
    rankings = [index.ranked(text) for text in reversed(questions[-MESSAGES:])]
    first = [tool for ranking in rankings for tool in ranking[:FOR_EACH_MESSAGE]]
    return [*first, *(rankings[-1] if rankings else ())]
