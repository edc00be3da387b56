"""Which tools are sent in full, where there are more than a model should have to read.

Up to `Limits.tools_sent` go along. Of more than that, in this order of who is given room:

    named here (opt-in), `search_tools`
    activated by a search, or called before: the latest first
    what fits the latest messages of the user: five for each, from the newest to the oldest
    what else fits the oldest of these; then the rest as it comes

so that a new message brings what it needs and the others stay: a request whose tools are those of
the request before is one that the provider still has in its cache. Within a turn only a search, or
a call of what was not sent, changes anything. They are sent in the order in which they are offered.
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

FOR_EACH_MESSAGE = 5
MESSAGES = 12


@dataclass(frozen=True)
class Chosen:
    """`tools` are sent, of so many that are `available`."""

    tools: list[Tool]
    available: int

    def beside(self, tool: Tool) -> "Chosen":
        """With one more that is sent in any case."""
        return Chosen([*self.tools, tool], self.available + 1)

    @property
    def left_out(self) -> int:
        return self.available - len(self.tools)

    @property
    def noted(self) -> GenerationAttributes:
        """For the generation's span: nothing, where all were sent."""
        if not self.left_out:
            return {}
        return {"tools": {"available": self.available, "sent": len(self.tools)}}


def chosen(
    tools: Sequence[Tool],
    conversation: Conversation,
    model: LanguageModel,
    messages: Sequence[Message],
) -> Chosen:
    """What of a conversation's `tools` goes along with its next request; costs a query where there
    are too many of them."""
    most = limits(conversation, model).tools_sent
    if not most or len(tools) <= most:
        return Chosen(list(tools), len(tools))
    tools = _with_search(tools)
    return Chosen(choose(tools, conversation.activated, messages, most), len(tools))


def choose(
    tools: Sequence[Tool], activated: Sequence[str], messages: Sequence[Message], most: int
) -> list[Tool]:
    """`most` of these tools (more, if more of them were named), in their own order. The same for
    the same arguments."""
    wanted = dict.fromkeys(
        [
            *(tool.name for tool in tools if tool.opt_in),
            *activated,
            *_called(messages),
            *(tool.name for tool in _fitting(tools, messages)),
            *(tool.name for tool in tools),
        ]
    )
    known = {tool.name for tool in tools}
    named = sum(tool.opt_in for tool in tools)
    sent = set(islice((name for name in wanted if name in known), max(most, named)))
    return [tool for tool in tools if tool.name in sent]


def _with_search(tools: Sequence[Tool]) -> list[Tool]:
    """The tools with `search_tools` among them, behind the others of this program; without it, if
    an admin has switched it off."""
    if any(tool.name == SEARCH_TOOLS.name for tool in tools):
        return list(tools)
    search = switches.find(SEARCH_TOOLS.name)
    own = [tool for tool in tools if not tool.server]
    return [*own, *([search] if search else []), *(tool for tool in tools if tool.server)]


def _called(messages: Sequence[Message]) -> Iterator[str]:
    """The names that were called, the latest first."""
    for message in reversed(messages):
        for call in reversed(message.get("tool_calls") or ()):
            yield call["function"]["name"]


def _fitting(tools: Sequence[Tool], messages: Sequence[Message]) -> Iterable[Tool]:
    index = Index(tools)
    said = [text_of(one.get("content")) for one in messages if one["role"] == "user"]
    latest = [index.ranked(text) for text in reversed(said[-MESSAGES:])]
    first = [tool for ranked in latest for tool in ranked[:FOR_EACH_MESSAGE]]
    return [*first, *(latest[-1] if latest else ())]
