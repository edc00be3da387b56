"""What a call is given to run with: its tool, workspace, deadline, and ways back to the engine."""

from collections.abc import Sequence
from functools import partial

from django.conf import settings

from chat import offering, project_folders, storage, workspaces
from chat.agent import loaded_skills
from chat.agent.claimed_call import ClaimedCall
from chat.agent.limits import deployment, limits
from chat.engine.tool_calls import questions
from chat.engine.tool_calls.call_claims import mark_sent
from chat.engine.tool_calls.policies import CHANGED
from chat.engine.tool_calls.progress import Progress
from chat.engine.tool_calls.result_content import earlier_text
from chat.errors import Rejected
from chat.llm.messages import UNNAMED
from chat.models import Conversation, Turn
from chat.quotas.admission import admit_tool_call
from db.threads import from_loop, in_database
from tools.calls import execution
from tools.calls.execution import CallContext, ToolResult
from tools.catalogue import registry as tools
from tools.catalogue import switches
from tools.values.tool import Tool
from tools.workspace.sandbox import Folder
from tracing.export.otlp import ids, switch
from tracing.journal.subagents import topmost
from tracing.models import Span
from tracing.models.attributes import call_attributes, trace_attributes

# Tools that write to a workspace.
WRITING_TOOLS = ("bash", "write_file", "edit_file")
# Tools that see the files of the project, or may not write there.
TOOLS_WITH_PROJECT = (*WRITING_TOOLS, "read_file", "list_files")


def tool_of(call: Span, turn: Turn) -> Tool | ToolResult:
    """The tool of a call, if it still is the one that was proposed and is offered; else the result
    that says why the call was not run."""
    name, conversation = call.name, turn.conversation
    tool = offering.find(name, conversation, turn.model, turn.user)
    proposed = call_attributes(call)
    was_offered = proposed.get("offered", True)
    if not was_offered or (tool and tool.server != proposed.get("server", tool.server)):
        tool = None  # no policy was asked when it was proposed
    if tool is not None and call.tool_hash in (None, tool.hash):
        return tool
    if tool is not None or tools.waits_for_review(name, turn.user):
        return ToolResult.error(CHANGED)
    if why := switches.why_off(name):
        return ToolResult.error(why)
    offered = offering.of(conversation, turn.model, turn.user)
    return execution.unknown_tool("" if name == UNNAMED else name, [tool.name for tool in offered])


def refusal_of_full_storage(tool: Tool, turn: Turn) -> ToolResult | None:
    """The result of a call that would write to a workspace when its user's storage is full."""
    if tool.server or tool.name not in WRITING_TOOLS:
        return None
    try:
        in_database(storage.check, turn.user_id, within_s=storage.USAGE_S)
    except Rejected as error:
        return ToolResult.error(f"The call was not run. The user has to be told: {error}")
    return None


def refusal_beyond_limit(call: ClaimedCall) -> ToolResult | None:
    """The result of a call beyond its user's tool calls a minute."""
    try:
        admit_tool_call(call.turn.user, str(call.span.pk))
    except Rejected as error:
        return ToolResult.error(f"The call was not run. The user has to be told: {error}")
    return None


def call_context(call: ClaimedCall, tool: Tool) -> CallContext:
    top = _top(call.turn.conversation)
    workspace = workspaces.folder(top.public_id)
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    return CallContext(
        workspace=workspace,
        timezone=trace_attributes(call.span.trace).get("timezone") or settings.TIME_ZONE,
        call_id=call_attributes(call.span)["call_id"],
        deadline_s=_deadline_s(call.turn),
        before_send=partial(from_loop, mark_sent, call),
        earlier=partial(_earlier_result, call),
        frames=call.frames,
        stderr=call.stderr,
        timing=call.timing,
        facts=call.facts,
        folders=[*_skill_folders(call, tool), *_project_folders(call, top, tool)],
        ask=partial(questions.ask, call),
        caller=str(call.turn.conversation.public_id),
        keeps_questions=True,
        given=call.answers,
        traceparent=_traceparent(call.span),
        progress=Progress(call).report,
    )


def _top(conversation: Conversation) -> Conversation:
    """A subagent works in the workspace of the conversation that it belongs to."""
    if conversation.parent_call_id is None:
        return conversation
    return in_database(lambda: conversation.top)


def _project_folders(call: ClaimedCall, top: Conversation, tool: Tool) -> list[Folder]:
    """The files of the conversation's project, as they are now; none where others write."""
    if tool.server or tool.name not in TOOLS_WITH_PROJECT or top.project_id is None:
        return []
    if top.is_shared_to_write or call.turn.is_of_member:
        return []
    lent = in_database(project_folders.lent, top.project_id)
    return [lent] if lent is not None else []


def _skill_folders(call: ClaimedCall, tool: Tool) -> Sequence[Folder]:
    if tool.server or tool.name not in loaded_skills.TOOLS_WITH_SKILLS:
        return ()
    turn = call.turn
    return in_database(loaded_skills.folders, turn.conversation, turn.model, turn.user)


def _deadline_s(turn: Turn) -> float:
    numbers = limits(turn.conversation, turn.model) if turn.model else deployment()
    return numbers.tool_seconds


def _traceparent(span: Span) -> str:
    """Where a server's own span belongs (W3C Trace Context); "" without export of traces."""
    if not switch.sends_traces():
        return ""
    trace = in_database(topmost, span.trace)
    return ids.traceparent(trace.public_id, span.public_id)


def _earlier_result(call: ClaimedCall, handle: str) -> str | None:
    return in_database(earlier_text, call.turn.conversation.archive, handle)
