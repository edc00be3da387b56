"""All limits, by area, in the order of docs/operations.md."""

from limits import (
    api,
    audit,
    chat,
    export,
    files,
    gateway,
    mcp,
    mcp_server,
    models,
    processes,
    projects,
    quotas,
    replay,
    sandbox,
    search,
    sharing,
    tools,
    trace_pages,
    traces,
    transfer,
    turns,
    web,
)
from limits.table import Area, Entry, read

MODULES = (
    web,
    audit,
    chat,
    quotas,
    search,
    files,
    projects,
    transfer,
    sharing,
    turns,
    models,
    replay,
    tools,
    mcp,
    gateway,
    mcp_server,
    sandbox,
    traces,
    trace_pages,
    export,
    api,
    processes,
)
AREAS: tuple[Area, ...] = tuple(map(read, MODULES))
ALL: tuple[Entry, ...] = tuple(entry for area in AREAS for entry in area.entries)
