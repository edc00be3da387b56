"""An MCP server over one SQLite file: `python -m tools.mcp.servers.sqlite --db-path FILE`.

Results are the Python representation of a list of rows as dictionaries. A failing statement is a
result with `is_error`. `--seed walkthrough` fills the file if it is new.
"""

import argparse
import asyncio
import sqlite3
from pathlib import Path
from typing import Any

from mcp import MCPError, stdio_server
from mcp.server import Server
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    TextContent,
    TextResourceContents,
)
from mcp_types import Tool as ListedTool

from tools.mcp.servers import seeds
from tools.mcp.servers.database import Database, Refused


def _takes(name: str = "", description: str = "") -> dict[str, Any]:
    properties = {name: {"type": "string", "description": description}} if name else {}
    return {"type": "object", "properties": properties, "required": [*properties]}


TOOLS = [
    ListedTool(name=name, description=description, input_schema=schema)
    for name, description, schema in (
        (
            "read_query",
            "Execute a SELECT query on the SQLite database",
            _takes("query", "SELECT SQL query to execute"),
        ),
        (
            "write_query",
            "Execute an INSERT, UPDATE, or DELETE query on the SQLite database",
            _takes("query", "SQL query to execute"),
        ),
        (
            "create_table",
            "Create a new table in the SQLite database",
            _takes("query", "CREATE TABLE SQL statement"),
        ),
        ("list_tables", "List all tables in the SQLite database", _takes()),
        (
            "describe_table",
            "Get the schema information for a specific table",
            _takes("table_name", "Name of the table to describe"),
        ),
        (
            "append_insight",
            "Add a business insight to the memo",
            _takes("insight", "Business insight discovered from data analysis"),
        ),
    )
]


MEMO = Resource(
    uri="memo://insights",
    name="Business Insights Memo",
    description="The insights of this session, as append_insight took them",
    mime_type="text/plain",
)


def make_server(database: Database) -> Server[Any]:
    """The MCP server; `asyncio.to_thread` keeps it answering while a query runs."""

    async def list_tools(_context: Any, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=TOOLS)

    async def call_tool(_context: Any, params: CallToolRequestParams) -> CallToolResult:
        try:
            text = await asyncio.to_thread(database.run_tool, params.name, params.arguments or {})
        except KeyError as error:
            return _result(f"Missing argument: {error}", is_error=True)
        except (Refused, sqlite3.Error, sqlite3.Warning, TypeError, ValueError) as error:
            return _result(f"Database error: {error}", is_error=True)
        return _result(text)

    async def list_resources(
        _context: Any, _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return ListResourcesResult(resources=[MEMO])

    async def read_resource(_context: Any, params: ReadResourceRequestParams) -> ReadResourceResult:
        if str(params.uri) != MEMO.uri:
            raise MCPError(INVALID_PARAMS, f"There is no resource {params.uri}")
        memo = TextResourceContents(uri=MEMO.uri, mime_type="text/plain", text=database.memo)
        return ReadResourceResult(contents=[memo])

    return Server(
        "sqlite",
        version="1.0",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def _result(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


async def serve(database: Database) -> None:
    server = make_server(database)
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db-path", type=Path, required=True)
    parser.add_argument("--seed", choices=sorted(seeds.SEEDS))
    options = parser.parse_args()
    options.db_path.parent.mkdir(parents=True, exist_ok=True)
    if options.seed:
        seeds.plant(options.db_path, options.seed)
    asyncio.run(serve(Database(options.db_path)))


if __name__ == "__main__":
    main()
