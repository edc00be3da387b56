"""The tables of tools.

accounts      people's accounts at servers, and sign-ins under way (OAuth)
contacts      the health history of servers
local         switches and policies of local tools
policy        allow, ask or deny
readings      resources and prompts on their way to a page
server_tools  the tools that a server listed, and their approval
servers       registered servers, and the state of their checks
trials        connections and calls that are tried from a page
"""

from tools.models.accounts import Account, SignIn
from tools.models.contacts import ServerContact
from tools.models.local import LocalTool
from tools.models.policy import Policy
from tools.models.readings import Reading, ReadingQuerySet
from tools.models.server_tools import ServerTool, ServerToolQuerySet
from tools.models.servers import TOO_MANY_SERVERS, Server, ServerQuerySet
from tools.models.trials import Trial, TrialQuerySet

__all__ = [
    "TOO_MANY_SERVERS",
    "Account",
    "LocalTool",
    "Policy",
    "Reading",
    "ReadingQuerySet",
    "Server",
    "ServerContact",
    "ServerQuerySet",
    "ServerTool",
    "ServerToolQuerySet",
    "SignIn",
    "Trial",
    "TrialQuerySet",
]
