"""Limits of what people use."""

from typing import Annotated

from limits.table import Limit

MAX_QUOTA: Annotated[
    int,
    Limit(
        "units",
        "Amount of a limit: turns, calls, tokens, bytes, millionths of a dollar",
        "Refused with an error message",
    ),
] = 10**15
MAX_QUOTA_RULES: Annotated[
    int, Limit("rules", "Rules of limits", "Refused with an error message")
] = 2_000
MAX_RULE_AGE_S: Annotated[
    float, Limit("seconds", "Age of the rules of limits in a process", "Read again")
] = 5.0
MAX_RULE_MEMBERS: Annotated[
    int, Limit("people", "People whose groups a process keeps with the rules", "Read again")
] = 10_000
MAX_USAGE_AGE_S: Annotated[
    float, Limit("seconds", "Age of what a person has used, for a limit", "Read again")
] = 10.0
MAX_UNSTORED_S: Annotated[
    float,
    Limit(
        "seconds", "Time in which an admitted turn that is not stored counts", "Counts no longer"
    ),
] = 15.0
MAX_PASSED_ON_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time in which an admitted call without a turn counts as an open one",
        "Counts no longer",
    ),
] = 600.0
MAX_USAGE_PEOPLE: Annotated[
    int, Limit("rows", "People, and groups, on the page of usage", "Those with less are left out")
] = 100
