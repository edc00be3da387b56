"""The tool bash."""

from collections.abc import Callable

from django.conf import settings

from languages.shipped import shipped
from tools.errors import Failed, ToolError
from tools.values.call import CallContext
from tools.workspace import sandbox, unsandboxed
from tools.workspace.availability import available
from tools.workspace.limits import MB, Limits, configured
from tools.workspace.watching import Outcome, Teller

# What the kernel itself answers to a limit, as a shell tells of the signal.
_SIGNALS = {152: "seconds", 153: "file_bytes"}
_UNSANDBOXED = shipped("""\
Run a shell command in the workspace, which is the current folder. There is NO SANDBOX here: the \
command runs on the server itself, with the rights of its user. Leave alone everything outside of \
the current folder. Files of loaded skills are in $SKILLS. What is started in the background ends \
with the command.""")


def bash(command: str, context: CallContext, timeout: int | None = None) -> str:
    """Run a shell command in the workspace (/workspace). There is no network; only the workspace
    and /tmp can be written, and /tmp is empty again the next time. Files of loaded skills are in
    /skills. What is started in the background ends with the command.

    Args:
        command: What to run, with bash.
        timeout: Seconds after which it is stopped.
    """
    limits = _limits(timeout, context.deadline_s)
    outcome = _runner()(
        ["/bin/bash", "-c", command],
        context.workspace,
        limits,
        context.folders,
        context.cancelled.is_set,
        _teller(context),
    )
    context.facts["sandbox"] = outcome.facts(limits)
    return told(outcome, limits)


def missing() -> str:
    """Why commands cannot be run here, as sentences; "" if they can."""
    return "" if settings.UNSANDBOXED_SHELL else available()


def description() -> str:
    """What a model is told of the tool where commands are run without a sandbox; "" elsewhere."""
    if settings.UNSANDBOXED_SHELL and available():
        return _UNSANDBOXED
    return ""


def _runner() -> Callable[..., Outcome]:
    """The sandbox wherever there is one."""
    why = available()
    if not why:
        return sandbox.run
    if settings.UNSANDBOXED_SHELL:
        return unsandboxed.run
    raise ToolError(f"commands cannot be run here. {why.removesuffix('.')}")


def told(outcome: Outcome, limits: Limits) -> str:
    """The output for the model. Raises `Failed` if the command failed or a limit ended it."""
    # A NUL cannot be stored as text everywhere.
    text = outcome.output.decode(errors="replace").replace("\0", "\N{SYMBOL FOR NULL}").rstrip("\n")
    if outcome.limit:
        raise Failed(f"[ended: {outcome.limit}]\n{text}".rstrip("\n"))
    if outcome.code:
        raise Failed(f"[exit code {outcome.code}{_why(outcome.code, limits)}]\n{text}".rstrip("\n"))
    return text or "(no output)"


def _limits(timeout: int | None, deadline_s: float) -> Limits:
    limits = configured()
    seconds = limits.seconds if timeout is None else max(1, timeout)
    return configured(seconds=min(seconds, deadline_s))


def _why(code: int, limits: Limits) -> str:
    match _SIGNALS.get(code):
        case "seconds":
            return f": it computed for more than {limits.seconds:g} s"
        case "file_bytes":
            return f": a file may have {limits.file_bytes // MB:,} MB"
    return ""


def _teller(context: CallContext) -> Teller | None:
    """Tells the page the last line of the output."""
    progress = context.progress
    if progress is None:
        return None

    def tell(_: float, line: str) -> None:
        if line:
            progress(0, None, line)

    return tell
