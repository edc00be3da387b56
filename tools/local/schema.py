"""From a typed function to a tool: the JSON Schema comes from signature and docstring.

The docstring is the description; its `Args:` section (Google style) describes the parameters. A
parameter annotated `CallContext` is given by the application and stays out of the schema.
"""

import inspect
import types
from collections.abc import Callable
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from languages import docstrings
from tools.values.call import CallContext
from tools.values.sources import SourcedText
from tools.values.tool import Tool

JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def local_tool(function: Callable[..., str | SourcedText], **about_it: Any) -> Tool:
    """`function` as a tool, with these properties of `Tool`. Raises `TypeError` for an annotation
    that has no schema here."""
    description, about = docstrings.parts(function.__doc__ or "")
    hints = get_type_hints(function)
    properties: dict[str, Any] = {}
    required = []
    for name, parameter in inspect.signature(function).parameters.items():
        if hints[name] is CallContext:
            continue
        properties[name] = _schema(hints[name])
        if name in about:
            properties[name]["description"] = about[name]
        if parameter.default is parameter.empty:
            required.append(name)
        elif parameter.default is not None:
            properties[name]["default"] = parameter.default
    schema = {"type": "object", "properties": properties, "required": required}
    return Tool(function.__name__, description, schema, function=function, **about_it)


def context_parameter(function: Callable[..., str | SourcedText]) -> str | None:
    """The name under which `function` wants its `CallContext`, if it wants it."""
    hints = get_type_hints(function)
    return next((name for name, kind in hints.items() if kind is CallContext), None)


def _schema(annotation: Any) -> dict[str, Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in JSON_TYPES:
        return {"type": JSON_TYPES[annotation]}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0])}
    if origin in (Union, types.UnionType) and types.NoneType in arguments and len(arguments) == 2:
        # Optional: leaving it out is the way to say None.
        return _schema(next(kind for kind in arguments if kind is not types.NoneType))
    raise TypeError(f"no JSON Schema for {annotation!r}")
