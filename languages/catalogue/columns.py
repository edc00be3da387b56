"""Names of models, columns and choices that the admin shows, from the syntax trees of models and
admins."""

import ast
from collections.abc import Iterable, Iterator

from django.utils.text import camel_case_to_spaces

from languages.catalogue.python import called
from languages.catalogue.texts import Text
from languages.names import CONTEXT

_RELATIONS = {"ForeignKey", "OneToOneField", "ManyToManyField"}


def texts(sources: Iterable[str]) -> Iterator[Text]:
    """Of the models that one of the sources registers, which may be defined in another."""
    classes: dict[str, ast.ClassDef] = {}
    shown: set[str] = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, node)
                shown |= set(_registered(node))
    for name in sorted(shown & set(classes)):
        for words in (*_names(classes[name]), *_columns(classes[name], classes)):
            yield Text(words, CONTEXT)


def _registered(node: ast.ClassDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and called(decorator) == "register":
            yield from (one.id for one in decorator.args if isinstance(one, ast.Name))


def _names(node: ast.ClassDef) -> Iterator[str]:
    """Of the model: one, and several."""
    given = {
        _target(line): str(line.value.value)
        for meta in node.body
        if isinstance(meta, ast.ClassDef) and meta.name == "Meta"
        for line in meta.body
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant)
    }
    one = given.get("verbose_name", camel_case_to_spaces(node.name))
    yield one
    yield given.get("verbose_name_plural", f"{one}s")


def _columns(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> Iterator[str]:
    """Those that the class or one of its bases defines."""
    yield "ID"
    for line in node.body:
        if isinstance(line, ast.ClassDef) and any(
            _last(base) == "TextChoices" for base in line.bases
        ):
            yield from _choices(line)
        if isinstance(line, (ast.Assign, ast.AnnAssign)) and isinstance(line.value, ast.Call):
            yield from _column(_target(line), line.value)
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            yield from _columns(classes[base.id], classes)


def _column(name: str, made: ast.Call) -> Iterator[str]:
    kind = called(made)
    if kind.endswith("Field") or kind in _RELATIONS:
        yield name.replace("_", " ")
        for keyword in made.keywords:
            if keyword.arg == "help_text" and isinstance(keyword.value, ast.Constant):
                yield str(keyword.value.value)


def _choices(node: ast.ClassDef) -> Iterator[str]:
    """The labels of choices that have no mark: Django makes one of the name of a member."""
    for line in node.body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
            yield _target(line).replace("_", " ").title()
        elif isinstance(line, ast.Assign) and isinstance(line.value, ast.Tuple):
            label = line.value.elts[1]
            if isinstance(label, ast.Constant):
                yield str(label.value)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _target(line: ast.Assign | ast.AnnAssign) -> str:
    target = line.target if isinstance(line, ast.AnnAssign) else line.targets[0]
    return target.id if isinstance(target, ast.Name) else ""
