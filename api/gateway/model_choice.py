"""Whether a request asks for models that its caller may use, where some are for others.

Only the models that are listed for the caller are: a provider knows others by several names (an
alias, a date, another case), and which it knows is nowhere written.
"""

import re
from typing import Any
from urllib.parse import parse_qsl

from api.gateway.headers import Pairs
from api.gateway.operations import Operation, Place
from api.gateway.refusals import BadRequest, NotPermitted, visible
from chat.llm.request_members import Member, Object, items_of
from chat.llm.shared_objects import says_model

_NOT_FOR_YOU = "This model is not for you at this provider: {name}"
_UNNAMED = "The body has to name one “model”: some models here are not for everybody."
_ELSEWHERE = "“{name}” is refused: some models here are not for everybody, and it may name one."
_ASKS_MODEL = (
    "The tool “{name}” is refused without a “model”: some models here are not for everybody."
)
_HEADER_SAYS_MODEL = re.compile("model|fallback|deployment|config")
_QUERY_NAMES = frozenset(
    {"beta", "api-version", "limit", "order", "after", "before", "after_id", "before_id"}
)
# Tools of a provider that ask no model of their own, by the beginnings of their types.
_TOOLS_WITHOUT_MODEL = (
    *("function", "custom", "web_search", "web_fetch", "file_search", "tool_search"),
    *("code_interpreter", "code_execution", "computer", "mcp", "local_shell", "shell", "bash"),
    *("apply_patch", "text_editor", "memory"),
)


def check_address(query: str, headers: Pairs) -> None:
    """Raises NotPermitted for a query or a header that may name a model."""
    names = [name for name, _ in parse_qsl(query, keep_blank_values=True, separator="&")]
    strange = [name for name in names if name not in _QUERY_NAMES]
    strange += [name for name, _ in headers if _HEADER_SAYS_MODEL.search(name)]
    if strange or ";" in query:
        name = visible((strange or [";"])[0])
        raise NotPermitted(_ELSEWHERE.format(name=name), 403, "model_not_found")


def check_models(
    operation: Operation, path: str, members: list[Member], allowed: dict[str, Any]
) -> None:
    """Raises BadRequest, NotPermitted."""
    for name in _models_of(operation, path, members):
        if name not in allowed:
            sentence = _NOT_FOR_YOU.format(name=visible(name))
            raise NotPermitted(sentence, 403, "model_not_found")


def _models_of(operation: Operation, path: str, members: list[Member]) -> list[str]:
    if operation.model is Place.NOWHERE:
        return []
    if operation.model is Place.PATH:
        return [operation.model_in(path)]
    own = [member.value for member in members if member[:2] == (0, "model")]
    if len(own) != 1 or not isinstance(own[0], str):
        raise BadRequest(_UNNAMED)
    _check_tools(members)
    return [text for member in members for text in _texts(member)]


def _check_tools(members: list[Member]) -> None:
    """Raises NotPermitted for a tool of the provider that may ask a model of its choice."""
    lists = [one.value for one in members if one.name == "tools" and isinstance(one.value, list)]
    for tool in (tool for tools in lists for tool in tools if isinstance(tool, Object)):
        kind, settings = str(tool.get("type") or "function"), tool.get("parameters")
        names_model = tool.get("model") or (isinstance(settings, Object) and settings.get("model"))
        if not names_model and not kind.startswith(_TOOLS_WITHOUT_MODEL):
            raise NotPermitted(_ASKS_MODEL.format(name=visible(kind)), 403, "model_not_found")


def _texts(member: Member) -> list[str]:
    """The models that a member names. Raises BadRequest for one that may name them in a form that
    nobody reads here."""
    value = member.value
    if member.name.casefold() == "prompt" and isinstance(value, Object):
        raise BadRequest(_ELSEWHERE.format(name="prompt"))
    if not says_model(member.name) or value is None:
        return []
    if not all(isinstance(one, str | bool | int | float) for one in items_of(value)):
        raise BadRequest(_ELSEWHERE.format(name=visible(member.name)))
    return [one for one in items_of(value) if isinstance(one, str)]
