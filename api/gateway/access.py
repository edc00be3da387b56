"""Who may ask what of a provider: a call is judged by its row of `api.gateway.operations`.

| members share the key's objects | some models are for others | what is passed on |
|---|---|---|
| no | no | rows, without references to objects of the key |
| no | yes | the same, with a model that is for the caller |
| yes | no | everything, unread |
| yes | yes | rows, with a model that is for the caller |

Whose use is limited asks for no answer in the background, which nobody could count: so rows are
judged then in any case.
"""

import asyncio

from api.gateway import model_choice
from api.gateway.bodies import is_of_kind, members_of
from api.gateway.call import Call
from api.gateway.operations import Body, Operation, operations_at
from api.gateway.refusals import NotPermitted, Refusal, visible
from chat.llm.request_members import Member
from chat.llm.shared_objects import reference_in

_LARGE = 256 * 1024  # bytes that take some milliseconds to read

_NOT_LISTED = (
    "“{method} {path}” is not among the calls that are open at this provider, since it may read or "
    "change what others keep under its key. An admin can open them under Models: “Members share "
    "this key's objects”."
)
_NOT_JUDGED = (
    "“{method} {path}” is not among the calls that are open at this provider, since some of its "
    "models are not for you and this call may name one."
)
_OTHER_KIND = "Send this call as {kinds}, without Content-Encoding."
_KINDS = {
    Body.NONE: "a request without a body",
    Body.JSON: "application/json in UTF-8",
    Body.FORM: "multipart/form-data",
}
_REFERENCE = (
    "“{name}” refers to an object that this provider keeps for all who have its key. Send the "
    "content itself, or ask an admin to open them under Models: “Members share this key's "
    "objects”."
)
_UNCOUNTED = (
    "“{name}” is refused: your use of models is limited, and an answer in the background is not "
    "counted."
)


def operation_of(call: Call) -> Operation | None:
    """The row by which a call is judged; None if it is passed on unread. Raises NotPermitted,
    Refusal."""
    is_restricted = bool(call.route.refused)
    rows = operations_at(call.method, call.target)
    if call.route.shares_objects and not is_restricted:
        if call.caller.is_limited and (call.method, call.target) == ("POST", "batches"):
            raise NotPermitted(_UNCOUNTED.format(name="batches"), 403, "call_not_counted")
        if not (rows and call.caller.is_limited):
            return None
    if not rows:
        sentence = _NOT_JUDGED if is_restricted else _NOT_LISTED
        sentence = sentence.format(method=call.method, path=call.target[:100])
        raise NotPermitted(sentence, 403, "call_not_open")
    if is_restricted:
        model_choice.check_address(call.url.partition("?")[2], call.request_headers)
    for row in rows:
        if is_of_kind(row.body, call.request_headers):
            return row
    kinds = " or ".join(_KINDS[row.body] for row in rows)
    raise Refusal(_OTHER_KIND.format(kinds=kinds), 415, "unsupported_media_type")


async def judge(body: bytes, operation: Operation, call: Call) -> None:
    """Raises BadRequest, NotPermitted, TooLarge."""
    if len(body) > _LARGE:
        await asyncio.to_thread(check_body, body, operation, call)
    else:
        check_body(body, operation, call)


def check_body(body: bytes, operation: Operation, call: Call) -> None:
    """Raises BadRequest, NotPermitted, TooLarge."""
    route = call.route
    members = members_of(body, operation.body, call.request_headers)
    if not route.shares_objects and (name := reference_in(members)):
        raise NotPermitted(_REFERENCE.format(name=visible(name)), 403, "object_not_open")
    if call.caller.is_limited:
        _check_counted(members)
    if route.refused:
        model_choice.check_models(operation, call.target, members, route.models)


def _check_counted(members: list[Member]) -> None:
    for member in members:
        if member.depth == 0 and member.name in ("background", "deferred") and member.value:
            raise NotPermitted(_UNCOUNTED.format(name=member.name), 403, "call_not_counted")
