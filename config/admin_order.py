"""The order of the admin's index and of its side bar: what an admin looks for first, first."""

from typing import Any

# Apps, each with its models; what is not named follows, in the order of the alphabet.
ORDER: dict[str, tuple[str, ...]] = {
    "chat": (
        *("Conversation", "Turn", "Message", "Attachment", "SharedLink"),
        *("Provider", "LanguageModel", "CassetteFile", "Preset", "Skill"),
        *("Project", "ProjectFile", "QuotaRule"),
        *("PlaygroundRun", "Import", "DataArchive", "AccountDeletion", "WebhookDelivery"),
    ),
    "tools": ("Server", "ServerTool", "LocalTool", "Account", "SignIn", "Trial", "Reading"),
    "tracing": ("Trace", "Span"),
    "accounts": (),
    "auth": ("User", "Group"),
    "tokens": ("Token",),
    "audit": ("Event",),
}


def ordered(apps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Django's list of apps with their models, as a template has it, in our order."""
    for app in apps:
        names = ORDER.get(app["app_label"], ())
        app["models"].sort(key=lambda model: _place(model["object_name"], names))
    return sorted(apps, key=lambda app: _place(app["app_label"], tuple(ORDER)))


def _place(name: str, names: tuple[str, ...]) -> int:
    return names.index(name) if name in names else len(names)
