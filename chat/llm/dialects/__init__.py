"""Dialects: canonical messages to what a kind of model reads, and its answers back.

| Module | What it has | |---|---| | `contract` | the types of every dialect: `Dialect`,
`StreamParser`, `Answer`, `Origin`, `TextDelta` | | `problems` | what is malformed in an answer,
with its place | | `native`, `native_calls` | OpenAI's `tools`; merging streamed calls | |
`functions` | OpenAI's older `functions` | | `nous`, `nous_prompt`, `nous_text` | tools as text: the
dialect, its prompt, its parser | | `anthropic`, `anthropic_…` | the Messages API: the dialect,
requests, blocks, names, answers | | `qwen_agent`, `qwen_agent_parts` | histories of Qwen-Agent, for
import and export | | `chatml` | the prompt text that a model finally reads, for display | |
`delta_texts`, `answer_texts`, `think_tags` | content, reasoning and refusal of an answer | |
`calls_text`, `call_sentences` | tool calls as running text; sentences about malformed ones | |
`request_notes`, `result_images` | what a dialect cannot express; images of tool results |

The engine uses those in `DIALECTS`.
"""

from collections.abc import Mapping

from chat.llm.dialects.anthropic import Anthropic
from chat.llm.dialects.contract import Dialect
from chat.llm.dialects.functions import Functions
from chat.llm.dialects.native import Native, ReturnsReasoning
from chat.llm.dialects.nous import Nous
from chat.llm.errors import UnknownDialect

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect for dialect in (Native(), Nous(), Functions(), Anthropic())
}


def dialect(name: str) -> Dialect:
    """The dialect of this name. Raises UnknownDialect."""
    try:
        return DIALECTS[name]
    except KeyError:
        raise UnknownDialect(
            f"There is no dialect {name!r}. There are: {', '.join(DIALECTS)}."
        ) from None


def configured(name: str, *, returns_reasoning: ReturnsReasoning = "never") -> Dialect:
    """The dialect of this name as one model needs it; `returns_reasoning` is for `native`. Raises
    UnknownDialect."""
    if name == Native.name:
        return Native(returns_reasoning)
    return dialect(name)
