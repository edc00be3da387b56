"""What can go wrong with tools.

    ToolsError
    ├── ToolError         a tool says why it cannot answer; the model reads the text
    │   ├── NotThere      a file or folder of a workspace
    │   └── Failed        what failed has said all that there is to say
    └── ConnectionFailed  an MCP session could not be opened, or ended; has the server's stderr

A failing tool is a result, so that `execution.call` turns all of these into one.
"""

# For people, where the fault is in this program: nothing that they asked for is to blame.
OUR_FAULT = "Roundtrip itself failed; the log of the tools worker says why"


class ToolsError(Exception):
    """Base of what this app raises."""


class ToolError(ToolsError):
    """A local tool cannot answer; the message is written for the model."""


class NotThere(ToolError):
    """There is no such file or folder in the workspace."""


class Failed(ToolError):
    """The message is all of the result: the output of a command that failed, say."""


class ConnectionFailed(ToolsError):
    """No session with a server: the sentence that says why, and what the server wrote to stderr."""

    def __init__(self, reason: str, stderr: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.stderr = stderr
