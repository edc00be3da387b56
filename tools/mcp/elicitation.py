"""Elicitation: the SDK's types to ours, and which of a session's callers is asked.

A request on a live session does not name its call. With one open call it belongs to that one, with
several of one person to the oldest that can ask. With calls of several people nobody is asked,
because a question must not reach another person.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import mcp_types
from mcp import MCPError

from limits.mcp import MAX_INPUT_KEY
from limits.tools import MAX_QUESTIONS
from tools.mcp.sdk import ClientRequestContext
from tools.values.questions import (
    CANCEL,
    FORM,
    URL,
    Answered,
    Asked,
    Asker,
    InputGiven,
    InputNeeded,
)

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class _Caller:
    who: str
    asker: Asker | None
    asking: "set[asyncio.Task[Answered]]" = field(default_factory=set)
    asked: int = 0  # questions of this call so far


class People:
    """The callers of a session's open calls, oldest first.

    `hide` is called with the secrets of an answer before the answer is sent.
    """

    def __init__(self, hide: Callable[[Iterable[str]], None]) -> None:
        self._callers: list[_Caller] = []
        self._hide = hide

    @contextmanager
    def may_be_asked(self, who: str, asker: Asker | None) -> Iterator[None]:
        """Until the block ends, a call for `who` is open and may be asked."""
        caller = _Caller(who, asker)
        self._callers.append(caller)
        try:
            yield
        finally:
            self._callers.remove(caller)
            for task in caller.asking:
                task.cancel()

    async def elicit(
        self, context: ClientRequestContext, params: mcp_types.ElicitRequestParams
    ) -> mcp_types.ElicitResult | mcp_types.ErrorData:
        """The SDK's callback. An error here is logged, and cancels the question."""
        caller = self._asked_one()
        if caller is None or caller.asker is None or caller.asked >= MAX_QUESTIONS:
            return _as_result(CANCEL)
        caller.asked += 1
        task = asyncio.ensure_future(caller.asker(asked(params)))
        caller.asking.add(task)
        try:
            await asyncio.wait([task])
            self._hide(task.result().secrets)
            return _as_result(task.result())
        except asyncio.CancelledError:
            if task.cancelled():  # the call is over
                return _as_result(CANCEL)
            raise  # the server has cancelled its question
        except Exception:
            logger.exception("a question of a server could not be asked")
            return _as_result(CANCEL)
        finally:
            task.cancel()
            caller.asking.discard(task)

    def _asked_one(self) -> _Caller | None:
        if len({caller.who for caller in self._callers}) > 1:
            return None
        return next((caller for caller in self._callers if caller.asker is not None), None)


def asked(params: mcp_types.ElicitRequestParams, key: str = "") -> Asked:
    if isinstance(params, mcp_types.ElicitRequestURLParams):
        return Asked(URL, params.message, url=params.url, key=key)
    return Asked(FORM, params.message, schema=params.requested_schema, key=key)


def needed(result: mcp_types.InputRequiredResult) -> InputNeeded:
    """The questions of a server of 2026. Raises ValueError for requests that are none."""
    requests = result.input_requests or {}
    if len(requests) > MAX_QUESTIONS:
        raise ValueError(f"{len(requests)} questions at once")
    texts = [*requests, result.request_state or ""]
    if any(len(key) > MAX_INPUT_KEY for key in requests) or any("\0" in text for text in texts):
        raise ValueError("answers under names that cannot be stored")
    for request in requests.values():
        if not isinstance(request, mcp_types.ElicitRequest):
            raise ValueError(f"{request.method}, which is switched off here")
    questions = tuple(
        asked(request.params, key)
        for key, request in requests.items()
        if isinstance(request, mcp_types.ElicitRequest)
    )
    return InputNeeded(result.request_state or "", questions)


def pages_first(error: MCPError) -> InputNeeded | None:
    """The pages that have to be visited before the call is made again (-32042), if any."""
    if error.code != mcp_types.URL_ELICITATION_REQUIRED:
        return None
    try:
        required = mcp_types.ElicitationRequiredErrorData.model_validate(error.data)
    except ValueError:
        return None
    pages = required.elicitations[:MAX_QUESTIONS]
    return InputNeeded("", tuple(asked(page) for page in pages)) if pages else None


def responses(given: InputGiven | None) -> mcp_types.InputResponses | None:
    """The answers as the SDK takes them."""
    if given is None or not given.answers:
        return None
    return {key: _as_result(answer) for key, answer in given.answers.items()}


def _as_result(answer: Answered) -> mcp_types.ElicitResult:
    action: Literal["accept", "decline", "cancel"] = answer.action
    content: dict[str, Any] | None = answer.content if action == "accept" else None
    return mcp_types.ElicitResult(action=action, content=content)
