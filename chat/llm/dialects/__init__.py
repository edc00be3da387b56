"""One module a dialect; what they have in common is in `contract`.

The engine speaks those in `DIALECTS`. `qwen-agent` is for import and export, `chatml` to look at.
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
