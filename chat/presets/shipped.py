"""The assistants that a deployment is given once. What admins make of them stays, and one that they
delete stays deleted.

The walkthrough's own preset is another one: it belongs to the recorded model and stays as the
article prints it. *Database assistant* is the same assistant for any model: it may read without
being asked for consent, and has to ask before it writes.
"""

from pathlib import Path
from typing import Any

from chat.cassettes import walkthrough
from chat.models import Preset, Shipped
from languages.shipped import shipped
from tools.models import Policy

READS = ("sqlite-read_query", "sqlite-list_tables", "sqlite-describe_table")
AGENT = ("todo", "task", "load_skill", "compact")
WORKSPACE = ("list_files", "read_file", "write_file", "edit_file", "bash")

CODING_PROMPT = Path(__file__).with_name("coding_prompt.txt")

CODING_STARTERS = [
    shipped(
        "Write a Python script that counts the words of a text file, with a test for it, and run "
        "both."
    ),
    shipped("Look at the files in the workspace and explain what they do."),
    shipped("Make a small web page with a working calculator: plain HTML, CSS and JavaScript."),
    shipped(
        "Plan a command-line tool that sorts photos into folders by month, then write and test it."
    ),
]


def ensure() -> None:
    """Gives what this deployment has not been given yet. Doing it again changes nothing."""
    for name, fields in _all().items():
        _, is_new = Shipped.objects.get_or_create(name=name)
        if is_new and not Preset.objects.filter(owner=None, name=name).exists():
            Preset.objects.create(name=name, published=True, **fields)


def _all() -> dict[str, dict[str, Any]]:
    return {
        shipped("Database assistant"): _database(),
        shipped("Coding assistant"): _coding(),
    }


def _database() -> dict[str, Any]:
    return {
        "description": shipped(
            "Answers questions about a database, and changes it where you agree. Every "
            "conversation has a database of its own."
        ),
        "system_prompt": walkthrough.system_prompt(),
        "tools": walkthrough.tool_names(),
        "policies": [
            *([name, Policy.ALLOW.value] for name in READS),
            ["sqlite-*", Policy.ASK.value],
        ],
        "starters": list(walkthrough.questions()),
    }


def _coding() -> dict[str, Any]:
    return {
        "description": shipped(
            "Plans, writes and runs code in a folder of the conversation's own, and "
            "keeps a list of what is to be done."
        ),
        "system_prompt": CODING_PROMPT.read_text(encoding="utf-8").strip(),
        "tools": [*AGENT, *WORKSPACE],
        "starters": CODING_STARTERS,
        "limits": {"rounds": 100},
    }
