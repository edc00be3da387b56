"""The quality of a tool's definition: the tokens that it costs, and what it leaves undescribed."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from db.fields import dump_json
from languages.stored import stored
from tools.definitions import token_estimate
from tools.definitions.relevance import parameters_of
from tools.values.tool import Tool

SHOWN_NAMES = 5


@dataclass(frozen=True)
class Quality:
    """`tokens` is an estimate; `warnings` are sentences for people, none if all is described."""

    tokens: int
    warnings: tuple[str, ...]


def of(name: str, description: str, parameters: Any) -> Quality:
    """The quality of a tool as it is offered to models."""
    tool = Tool(name, description, parameters)
    return Quality(_tokens(dump_json(tool.definition)), tuple(_warnings(tool)))


def total(found: Iterable[Quality]) -> int:
    return sum(one.tokens for one in found)


@lru_cache(maxsize=4_096)
def _tokens(definition: str) -> int:
    return token_estimate.of_text(definition)


def _warnings(tool: Tool) -> Iterable[str]:
    if not tool.description.strip():
        yield stored("It has no description: a model can only guess what it does.")
    bare = [name for name, one in parameters_of(tool.parameters).items() if not _is_told(one)]
    if bare:
        named = ", ".join(name[:80] for name in bare[:SHOWN_NAMES])
        if len(bare) == 1:
            yield stored("%(name)s has no description.", name=named)
        elif len(bare) <= SHOWN_NAMES:
            yield stored("%(names)s have no description.", names=named)
        else:
            more = len(bare) - SHOWN_NAMES
            yield stored("%(names)s and %(more)s more have no description.", names=named, more=more)


def _is_told(parameter: dict[str, Any]) -> bool:
    """Whether a parameter is described: by its description or its values; a `title` is only a
    name."""
    about = parameter.get("description")
    is_described = isinstance(about, str) and bool(about.strip())
    return is_described or "enum" in parameter or "const" in parameter
