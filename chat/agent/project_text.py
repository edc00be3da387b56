"""What requests say of a conversation's project: its instructions, and which files it has."""

from collections.abc import Collection

from chat.models import Project, Turn, name_in_workspace
from limits.projects import MAX_NAMED_PROJECT_FILES

FOLDER = "project/"
# Tools by which a model gets to the files, or to such a tool.
READING_TOOLS = frozenset({"bash", "list_files", "read_file", "search_files", "search_tools"})


def prompt_text(turn: Turn, tools: Collection[str]) -> str:
    """Empty without a project, and for one that says nothing and has no files; they are named if
    one of these tools reads them. Nothing where others write. One statement for a conversation in a
    project, none for others."""
    project = turn.conversation.project_id
    if project is None or not turn.has_personal_texts:
        return ""
    rows = Project.objects.said_in_requests(project)
    if not rows:
        return ""
    name, instructions = rows[0][:2]
    files = [name_in_workspace(file, document) for _, _, file, document in rows if file]
    parts = [f"{_heading(name)}\n{instructions.strip()}"] if instructions.strip() else []
    parts += [_about_files(files)] if files and not READING_TOOLS.isdisjoint(tools) else []
    return "\n\n".join(parts)


def _heading(name: str) -> str:
    return f"Instructions of the project {_quoted(name)}, which this conversation belongs to:"


def _about_files(names: list[str]) -> str:
    named = ", ".join(map(_quoted, names[:MAX_NAMED_PROJECT_FILES]))
    more = len(names) - MAX_NAMED_PROJECT_FILES
    rest = f", and {more} more" if more > 0 else ""
    return (
        f"Files of the project, in the folder {FOLDER} of the workspace, read-only: {named}{rest}."
    )


def _quoted(text: str) -> str:
    return f"“{text}”"
