"""One module a dialect; what they have in common is in `contract`."""

from collections.abc import Mapping

from chat.llm.dialects.contract import Dialect
from chat.llm.dialects.native import Native
from chat.llm.dialects.nous import Nous
from chat.llm.errors import UnknownDialect

DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (Native(), Nous())}


def dialect(name: str) -> Dialect:
    """The dialect of this name. Raises UnknownDialect."""
    try:
        return DIALECTS[name]
    except KeyError:
        raise UnknownDialect(
            f"There is no dialect {name!r}. There are: {', '.join(DIALECTS)}."
        ) from None
