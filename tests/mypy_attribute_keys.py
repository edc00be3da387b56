"""A plugin of mypy: a misspelled key in `.get()` of a span's attributes is an error.

Of a `TypedDict`, mypy itself refuses an unknown key in brackets, `pop` and `setdefault` only.
"""

from collections.abc import Callable

from mypy.nodes import StrExpr
from mypy.plugin import MethodContext, Plugin
from mypy.plugins.default import typed_dict_get_callback
from mypy.types import Type, TypedDictType

CHECKED = "tracing.models.attributes."


class AttributeKeys(Plugin):
    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        return _get if fullname == "typing.Mapping.get" else None


def _get(context: MethodContext) -> Type:
    known, key = context.type, context.args[0][0]
    if (
        isinstance(known, TypedDictType)
        and isinstance(key, StrExpr)
        and known.fallback.type.fullname.startswith(CHECKED)
        and key.value not in known.items
    ):
        name = known.fallback.type.name
        context.api.fail(f'TypedDict "{name}" has no key "{key.value}"', context.context)
    return typed_dict_get_callback(context)


def plugin(version: str) -> type[Plugin]:
    return AttributeKeys
