"""The audit log."""

from typing import Annotated

from limits.table import Limit

MAX_AUDIT_DAYS: Annotated[
    int,
    Limit("days", "Age of an entry of the audit log, without `AUDIT_RETENTION_DAYS`", "Deleted"),
] = 180
MAX_AUDITED_NAME: Annotated[int, Limit("characters", "User name in the audit log", "Truncated")] = (
    150
)
MAX_AUDITED_TARGET: Annotated[
    int, Limit("characters", "Name of what an act was done to, in the audit log", "Truncated")
] = 200
MAX_NAMED_TOOLS: Annotated[
    int, Limit("tools", "Tools that one entry of the audit log names", "Only counted")
] = 50
MAX_NAMED_TRACES: Annotated[
    int, Limit("traces", "Traces that one entry of the audit log names", "Only counted")
] = 50
MAX_LISTED_EVENTS: Annotated[
    int, Limit("entries", "Entries on a page of the audit log", "On the next page")
] = 100
