"""The tool bash."""

from django.conf import settings

from tools.calls import CallContext
from tools.errors import ToolError
from tools.workspace import sandbox
from tools.workspace.sandbox import Limits, Outcome

LONGEST = 600


def bash(command: str, context: CallContext, timeout: int = 60) -> str:
    """Run a shell command in the workspace (/workspace). There is no network; only the workspace
    and /tmp can be written, and /tmp is empty again the next time.

    Args:
        command: What to run, with bash.
        timeout: Seconds after which it is stopped, at most 600.
    """
    seconds = min(max(1, timeout), LONGEST, context.deadline_s)
    outcome = sandbox.run(["/bin/bash", "-c", command], context.workspace, limits(seconds))
    return told(outcome)


def limits(seconds: float) -> Limits:
    """The deployment's limits (setting `SANDBOX_LIMITS`) for a command that may take `seconds`."""
    return Limits(**{**getattr(settings, "SANDBOX_LIMITS", {}), "seconds": seconds})


def told(outcome: Outcome) -> str:
    """The output for the model. Raises `ToolError` if it failed or a limit ended it."""
    text = outcome.output.decode(errors="replace").rstrip("\n")
    if outcome.limit:
        raise ToolError(f"{text}\n[the command was ended: {outcome.limit}]".lstrip("\n"))
    if outcome.code:
        raise ToolError(f"{text}\n[exit code {outcome.code}]".lstrip("\n"))
    return text or "(no output)"
