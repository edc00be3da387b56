"""What a tool of `/mcp` is: its arguments and its result as types, and what it runs.

A tool that cannot do what it is asked raises `ToolError`, or what the house raises anyway
(`chat.errors.Rejected`, a damaged payload); the caller gets the sentence as a result that is an
error, so that a model reads it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar

from django.contrib.auth.models import User
from pydantic import BaseModel, ConfigDict

from api.mcp_server.threads import in_thread
from tokens.access import Access

P = ParamSpec("P")
T = TypeVar("T")
Progress = Callable[[float, float | None, str], Awaitable[None]]


class ToolError(Exception):
    """The message says what is wrong and what to do."""


class Arguments(BaseModel):
    """Arguments that a tool does not have are an error: a model misremembers names."""

    model_config = ConfigDict(extra="forbid")


class Result(BaseModel):
    """`note` says how to get what is not in it."""

    note: str | None = None


A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class Caller:
    """Whose call it is, and from which address. `base` is the public address of this server,
    `progress` tells how far the call is."""

    access: Access
    address: str | None
    base: str
    progress: Progress

    @property
    def user(self) -> User:
        return self.access.user

    def in_thread(
        self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> Awaitable[T]:
        """Runs a function that uses the ORM."""
        return in_thread(self.address, function, *args, **kwargs)


@dataclass(frozen=True)
class ServerTool(Generic[A, R]):
    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[R]
    run: Callable[[Caller, A], Awaitable[R]]
    is_read_only: bool = True
    # Whether it reaches a model, and through it the world.
    is_open: bool = False


AnyTool = ServerTool[Any, Any]
