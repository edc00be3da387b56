"""Whether commands can be run here."""

from tools.workspace import sandbox


def available() -> str:
    """Why the shell cannot be used here, as a sentence; "" if it can."""
    return "" if sandbox.is_available() else "bubblewrap is not installed."
