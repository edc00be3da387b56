"""Projects."""

from typing import Annotated

from limits.table import Limit

MAX_PROJECTS: Annotated[int, Limit("projects", "Projects of a user", "Refused with a message")] = (
    200
)
MAX_PROJECT_NAME: Annotated[
    int, Limit("characters", "Name of a project", "Refused with an error message")
] = 80
MAX_PROJECT_INSTRUCTIONS: Annotated[
    int, Limit("characters", "Instructions of a project", "Refused with an error message")
] = 20_000
MAX_PROJECT_FILES: Annotated[
    int, Limit("files", "Files of a project", "Refused with an error message")
] = 200
MAX_PROJECT_BYTES: Annotated[
    int, Limit("bytes", "Files of a project together", "Refused with an error message")
] = 50_000_000
MAX_NAMED_PROJECT_FILES: Annotated[
    int,
    Limit("files", "Files of a project that a request names", "The others are counted, not named"),
] = 50
MAX_SIDEBAR_PROJECTS: Annotated[
    int, Limit("projects", "Projects in the sidebar", "On the page of all projects")
] = 10
MAX_SIDEBAR_CONVERSATIONS: Annotated[
    int,
    Limit("conversations", "Conversations of a project in the sidebar", "On the project's page"),
] = 10
