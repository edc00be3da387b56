"""Which machine a tool call has to run on: the one that has the workspace, if the call uses it or
is one of a stdio server; else any."""

from django.conf import settings

from chat.models import Conversation
from chat.placement import machines, pins
from chat.placement.pins import Elsewhere, Here, Where
from jobs.ring import send
from tools.models import Server
from tools.values.tool import Tool
from tracing.models import Span
from tracing.models.attributes import call_attributes

# Local tools that read or write the workspace.
WORKSPACE_TOOLS = ("bash", "write_file", "edit_file", "read_file", "list_files")
_STDIO = "stdio"


def is_shared() -> bool:
    """Whether all machines have all workspaces: then nothing is routed."""
    return settings.WORKSPACES_KIND == "shared"


def uses_workspace(tool: Tool) -> bool:
    if tool.config is not None:
        return tool.config.transport == _STDIO
    return not tool.server and tool.name in WORKSPACE_TOOLS


def where(call_id: int) -> Where:
    """Where this call has to run; who asks becomes the one that has the workspace if nobody has."""
    span = Span.objects.filter(pk=call_id).only("name", "attributes", "trace_id").first()
    if span is None or not _needs_workspace(span):
        return Here()
    conversation = Conversation.objects.filter(turns__trace=span.trace_id).first()
    return Here() if conversation is None else pins.claim(conversation.top.pk)


def forward(call_id: int, user_id: int, elsewhere: Elsewhere) -> None:
    """Rings the machine that has to run the call. Raises one of `jobs.ring.UNREACHABLE`."""
    send("chat.execute", machines.queue(elsewhere.machine), (call_id, user_id))


def _needs_workspace(span: Span) -> bool:
    server = call_attributes(span).get("server", "")
    if not server:
        return span.name in WORKSPACE_TOOLS
    return Server.objects.filter(name=server, transport=_STDIO).exists()
