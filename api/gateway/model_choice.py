"""Whether a request asks for a model that its caller may use.

Only read where the provider has models that are not for the caller. What two readers might read
differently is refused.
"""

import json
from typing import Any

from api.gateway.call import Call
from api.gateway.headers import Pairs
from api.gateway.refusals import BadRequest, NotPermitted

_NOT_FOR_YOU = "This model is not for you: {name}"
_UNREADABLE = "The body has to be JSON with one “model”: some models here are not for everybody."


def check_model(body: bytes, call: Call) -> None:
    """Raises BadRequest, NotPermitted."""
    if not body:
        return
    if _is_json(call.request_headers):
        _check(call, _models_of(body))
        return
    # A form: none of the names may stand in it at all.
    _check(call, [name for name in call.route.refused if name.encode() in body])


def _check(call: Call, names: list[Any]) -> None:
    for name in names:
        if name in call.route.refused:
            raise NotPermitted(_NOT_FOR_YOU.format(name=name), 403, "model_not_found")


def _models_of(body: bytes) -> list[str]:
    names: list[Any] = []

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        models = [value for key, value in members if key == "model"]
        if len(models) > 1:
            raise BadRequest(_UNREADABLE)
        names.extend(models)
        return {}

    try:
        json.loads(body, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        raise BadRequest(_UNREADABLE) from None
    if not all(isinstance(name, str) for name in names):
        raise BadRequest(_UNREADABLE)
    return names


def _is_json(headers: Pairs) -> bool:
    kinds = [value for name, value in headers if name == "content-type"]
    return len(kinds) != 1 or "json" in kinds[0].lower()
