"""The messages and tools of a generation's request, from which its prompt text is rendered."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from chat.errors import Rejected
from chat.llm.dialects.chatml import QWEN2_5, render
from chat.llm.messages import Message, ToolDefinition
from chat.models import LanguageModel
from languages.later import later
from tracing.errors import PayloadCorrupt
from tracing.journal import trace_rounds
from tracing.models import Span, Trace
from tracing.models.attributes import generation_attributes
from tracing.page.stages.ladder import PROMPTED
from tracing.store import payloads


@dataclass(frozen=True)
class PromptSource:
    """`tools`: those that the server adds to the prompt. In the nous dialect they are already in
    the messages."""

    dialect: str
    messages: list[Message]
    tools: list[ToolDefinition]

    def prompt(self, template: str) -> str:
        """The prompt text. Raises BadTemplate, and Rejected for messages that no template can
        read."""
        try:
            return render(self.messages, self.tools, template or QWEN2_5)
        except (LookupError, TypeError, AttributeError):
            raise Rejected(UNREADABLE) from None


UNREADABLE = later("The request has no messages that a chat template could read: see its JSON.")


def generation_of(trace: Trace, number: int, attempt: str) -> Span | None:
    """The attempt with this number in this round, or its last one; or, by public id, the model call
    of a summary in it."""
    round_ = trace_rounds.find_round(trace, number)
    if round_ is None:
        return None
    for span in round_.model_calls:
        if str(span.public_id) == attempt:
            return span
    generations = round_.generations
    named = [span for span in generations if str(span.number) == attempt]
    return next(iter(named or generations[-1:]), None)


def source_of(generation: Span) -> PromptSource:
    """The source. Raises Rejected if the generation has no prompt text."""
    dialect = str(generation_attributes(generation).get("dialect"))
    if dialect not in PROMPTED:
        raise Rejected(
            gettext("A request in the dialect %(dialect)s is not written as a prompt here.")
            % {"dialect": dialect}
        )
    body = _request(generation)
    messages, tools = body.get("messages"), body.get("tools")
    if not isinstance(messages, list) or not messages:
        raise Rejected(UNREADABLE)
    return PromptSource(dialect, messages, tools if isinstance(tools, list) else [])


def model_of(generation: Span) -> LanguageModel | None:
    """The model of the generation, if the provider still has one with its name."""
    attributes = generation_attributes(generation)
    named = LanguageModel.objects.filter(
        name=attributes.get("model", ""), provider__name=attributes.get("provider", "")
    )
    return named.first()


def _request(generation: Span) -> dict[str, Any]:
    stored = generation.payloads.select_related("span__trace").filter(stage="request").first()
    if stored is None:
        raise Rejected(gettext("Nothing was sent in this attempt."))
    try:
        body = payloads.read_json(stored)
    except PayloadCorrupt as error:
        raise Rejected(
            gettext("The stored data is damaged: %(reason)s.") % {"reason": error.reason}
        ) from error
    except (ValueError, RecursionError):
        raise Rejected(UNREADABLE) from None
    return body if isinstance(body, dict) else {}
