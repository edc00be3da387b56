"""Chat templates: the Jinja templates of models, which produce the prompt.

The environment is that of Hugging Face's transformers: sandboxed, `trim_blocks`, `lstrip_blocks`,
`tojson` without HTML escapes, `raise_exception`, `strftime_now`, `break`, `continue`, and the tag
`generation`, which has no effect. A template is a program: one of unknown origin is rendered by
`template_process`, within limits.
"""

import json
import traceback
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from chat.llm.errors import BadTemplate
from languages.stored import stored
from limits.models import MAX_CHAT_TEMPLATE, MAX_TEMPLATE_PROMPT

_NAME = "<chat template>"


def rendered(template: str, variables: Mapping[str, Any]) -> str:
    """The prompt. Raises BadTemplate, with the line."""
    if len(template) > MAX_CHAT_TEMPLATE:
        raise BadTemplate(
            stored("it has more than %(most)s characters", most=f"{MAX_CHAT_TEMPLATE:,}")
        )
    try:
        return _limited(_compiled(template).generate(variables))
    except jinja2.TemplateSyntaxError as error:
        raise BadTemplate(
            error.message or stored("it is no Jinja template"), error.lineno
        ) from None
    except _Refused as error:
        raise BadTemplate(
            stored("it refuses these messages: %(error)s", error=error), _line_of(error)
        ) from None
    except BadTemplate:
        raise
    except MemoryError as error:
        raise BadTemplate(stored("it takes too much memory"), _line_of(error)) from None
    except Exception as error:  # any error of the template's own code
        raise BadTemplate(f"{type(error).__name__}: {error}", _line_of(error)) from None


class _Refused(jinja2.TemplateError):
    """An error that a template raises itself, with `raise_exception`."""


class _GenerationTag(Extension):
    """The tag `generation`, with which trainers mark the output of the model."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[_GenerationTag, "jinja2.ext.loopcontrols"],
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = _strftime_now
    return environment


@lru_cache(maxsize=8)
def _compiled(template: str) -> jinja2.Template:
    environment = _environment()
    code = environment.compile(template, filename=_NAME)
    return environment.template_class.from_code(environment, code, environment.make_globals(None))


def _limited(pieces: Any) -> str:
    texts: list[str] = []
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_TEMPLATE_PROMPT:
            raise BadTemplate(
                stored(
                    "its prompt has more than %(most)s characters", most=f"{MAX_TEMPLATE_PROMPT:,}"
                )
            )
        texts.append(piece)
    return "".join(texts)


def _tojson(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


def _raise_exception(message: str) -> NoReturn:
    raise _Refused(message)


def _strftime_now(form: str) -> str:
    return datetime.now().strftime(form)


def _line_of(error: BaseException) -> int | None:
    """The line of the template in which an error was raised, from the traceback."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == _NAME
    ]
    return lines[-1] if lines else None
