"""What the docstring of a function says: its `Args:` section (Google style) is about its arguments.

The functions are tools: models and people read this (`tools.local.schema`, `languages.catalogue`).
"""

import inspect
import re

_ARGUMENT = re.compile(r"^ {4}(\w+): (.*)$")


def parts(docstring: str) -> tuple[str, dict[str, str]]:
    """The description with its lines joined to paragraphs, and the text of each argument."""
    text, _, arguments = inspect.cleandoc(docstring).partition("\nArgs:\n")
    paragraphs = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    about: dict[str, str] = {}
    name = ""
    for line in arguments.splitlines():
        if match := _ARGUMENT.match(line):
            name, about[match[1]] = match[1], match[2]
        elif line.strip() and name:
            about[name] += " " + line.strip()
    return "\n\n".join(paragraphs), about
