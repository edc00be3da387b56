"""Projects."""

from typing import Annotated

from limits.table import Limit

MAX_PROJECT_NAME: Annotated[int, Limit("characters", "Name of a project", "Truncated")] = 80
