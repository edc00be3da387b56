"""Recorded texts for the result of a tool: cut, and never what JSON cannot carry."""

from typing import Any

from db.fields import storable
from limits.mcp_server import MAX_MCP_TEXT


def cut(text: str, most: int = MAX_MCP_TEXT) -> str:
    """The beginning, with a note on how much is missing."""
    kept = storable(text[:most])
    hidden = len(text) - most
    return f"{kept}\n[… {hidden:,} more characters: read_stage has them]" if hidden > 0 else kept


def text_of(content: Any) -> str:
    """The text of a message's content, which may be a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict)]
    return "\n".join(
        str(part["text"]) if "text" in part else f"[{part.get('type', 'part')}]" for part in parts
    )
