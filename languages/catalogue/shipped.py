"""Descriptions that ship without a mark: those of tools and of skills."""

import ast
import re
from collections.abc import Iterator

from languages import docstrings
from languages.catalogue.python import called
from languages.catalogue.texts import Text
from languages.shipped import CONTEXT

_DESCRIPTION = re.compile(r"^description: (.+)$", re.MULTILINE)


def of_tools(source: str) -> Iterator[Text]:
    """Of the tools that a module defines: functions whose docstring describes arguments, calls of
    `_tool`, and `description` in schemas."""
    for node in ast.walk(ast.parse(source)):
        for text in _described(node):
            yield Text(text, CONTEXT)


def _described(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        about, arguments = docstrings.parts(ast.get_docstring(node) or "")
        if arguments:
            yield from (about, *arguments.values())
    elif isinstance(node, ast.Call) and called(node) == "_tool":
        yield from _constants(node.args[1])
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "description":
                yield from _constants(value)


def _constants(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def of_skill(source: str) -> Iterator[Text]:
    """Of the head of a SKILL.md."""
    for match in _DESCRIPTION.finditer(source.split("\n---", 1)[0]):
        yield Text(match[1].strip(), CONTEXT)
