"""A stdio MCP server that asks people, in both eras, and reports how far it is."""

import asyncio
import sys
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    InputRequests,
    InputRequiredResult,
)
from pydantic import BaseModel, Field

server = MCPServer("asking", version="1")
visited: set[str] = set()


class Booking(BaseModel):
    """What is asked."""

    people: int = Field(title="How many", ge=1, le=8)
    seat: Literal["window", "aisle"] = "window"
    email: str = Field(default="", description="Where the tickets go")
    vegetarian: bool = False


def which(day: str) -> Elicit[Booking]:
    return Elicit(f"Details of the table for {day}", Booking)


@server.tool()
async def book(day: str, answer: Annotated[ElicitationResult[Booking], Resolve(which)]) -> str:
    """Book a table."""
    if isinstance(answer, AcceptedElicitation):
        return f"{day}: {answer.data.model_dump_json()}"
    return f"{day}: {answer.action}"


class SignIn(BaseModel):
    """What no server should ask for in a form."""

    user: str
    db_password: str = Field(title="Your password")
    pin: int = 0


def who(database: str) -> Elicit[SignIn]:
    return Elicit(f"Sign in to {database}", SignIn)


@server.tool()
async def sign_in(database: str, answer: Annotated[ElicitationResult[SignIn], Resolve(who)]) -> str:
    """Sign in, and repeat the password."""
    if isinstance(answer, AcceptedElicitation):
        sys.stderr.write(f"signed in with {answer.data.db_password}\n")
        return f"{answer.data.user} has {answer.data.db_password}"
    return answer.action


@server.tool()
async def visit(context: Context[Any, Any]) -> str:
    """Sends people to a page, on the live session."""
    answer = await context.elicit_url("Sign in first", "https://example.org/sign-in?x=1", "e1")
    return answer.action


@server.tool()
async def pages(name: str) -> str:
    """Refuses until a page was visited."""
    if name not in visited:
        visited.add(name)
        page = ElicitRequestURLParams(
            message="Connect first", url="https://example.org/connect", elicitation_id=name
        )
        raise UrlElicitationRequiredError([page])
    return "connected"


@server.tool()
async def insist() -> InputRequiredResult:
    """Asks again whatever is answered, as servers of 2026 ask."""
    form = ElicitRequestFormParams(
        message="Again?", requested_schema={"type": "object", "properties": {}}
    )
    asks: InputRequests = {"again": ElicitRequest(params=form)}
    return InputRequiredResult(input_requests=asks, request_state="again")


@server.tool()
async def insist_live(context: Context[Any, Any]) -> str:
    """Asks 30 times on the live session, and tells what was answered."""
    answers = [(await context.elicit("Again?", Booking)).action for _ in range(30)]
    return " ".join(answers)


@server.tool()
async def steps(context: Context[Any, Any], count: int = 3, pause: float = 0.0) -> str:
    """Reports progress."""
    for number in range(1, count + 1):
        await context.report_progress(number, count, f"step {number}")
        await asyncio.sleep(pause)
    return "all steps"


if __name__ == "__main__":
    server.run("stdio")
