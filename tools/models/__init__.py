"""The tables of tools: registered servers, what passed between, and people's accounts there."""

from tools.models.accounts import Account, SignIn
from tools.models.contacts import Reading, ReadingQuerySet, ServerContact, Trial, TrialQuerySet
from tools.models.local import LocalTool
from tools.models.servers import (
    TOO_MANY_SERVERS,
    Policy,
    Server,
    ServerQuerySet,
    ServerTool,
    ServerToolQuerySet,
)

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
