"""Secrets that a server asks for in a form: which fields they are, and their values kept encrypted.

MCP forbids servers to ask for them in a form ("Elicitation", "Security"); some do. A person is
warned, the field hides what is typed, and what was typed is stored encrypted and left out of
traces.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from tools.encryption import cipher
from tools.questions.question_forms import Field, fields

SEALED = "encrypted"  # the only member of an object in the place of a sealed value
CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.]+")
SECRET = re.compile(
    r"\b(?:pass ?words?|pass ?phrases?|pass ?codes?|passwd|pwd|secrets?|token|credentials?|otp|pin"
    r"|(?:api|access|private|secret|encryption|license|licence) ?keys?|one time (?:code|password)"
    r"|(?:verification|security|recovery|2fa) codes?|cvv|cvc|(?:credit )?card number"
    r"|passwort|kennwort|mot de passe|contrase\u00f1a|senha)\b"
    r"|\u5bc6\u7801|\u53e3\u4ee4|\u5bc6\u94a5|\u4ee4\u724c|\u30d1\u30b9\u30ef\u30fc\u30c9|\u043f\u0430\u0440\u043e\u043b\u044c",
    re.IGNORECASE,
)


def secret_fields(schema: Any, message: str = "") -> list[Field]:
    """The fields that ask for a secret, by their own words, or by those of the question where
    there is only one field to be filled in."""
    typed = [one for one in fields(schema) if one.kind in ("text", "number", "integer")]
    named = [one for one in typed if _is_secret(one)]
    if not named and len(typed) == 1 and typed[0].kind == "text" and _mentions(message):
        return typed
    return named


def secret_values(schema: Any, message: str, content: Any) -> tuple[str, ...]:
    """The secret values of an answer, as texts that are not empty."""
    if not isinstance(content, dict):
        return ()
    values = (content.get(one.name) for one in secret_fields(schema, message))
    return tuple(str(value) for value in values if value not in (None, ""))


def seal(schema: Any, message: str, content: Any) -> Any:
    """The answer with its secrets encrypted, to be stored."""
    if not isinstance(content, dict):
        return content
    names = {one.name for one in secret_fields(schema, message)}
    return {name: _sealed(value) if name in names else value for name, value in content.items()}


def unseal(content: Any) -> Any:
    """The answer with its secrets decrypted."""
    if not isinstance(content, dict):
        return content
    return {name: _opened(value) for name, value in content.items()}


def hide(message: dict[str, Any], secrets: Sequence[str], instead: str) -> dict[str, Any]:
    """A JSON-RPC message to a server with `instead` for these secrets in its answers to forms."""
    hidden: dict[str, Any] = json.loads(json.dumps(message))
    result, params = hidden.get("result"), hidden.get("params")
    answers = params.get("inputResponses") if isinstance(params, dict) else None
    for answer in [result, *(answers.values() if isinstance(answers, dict) else ())]:
        content = answer.get("content") if isinstance(answer, dict) else None
        if isinstance(content, dict):
            changed = {name: instead for name, value in content.items() if str(value) in secrets}
            content |= changed
    return hidden


def _is_secret(one: Field) -> bool:
    return one.format == "password" or any(map(_mentions, (one.name, one.title, one.description)))


def _mentions(text: str) -> bool:
    return SECRET.search(CAMEL_CASE.sub(" ", text)) is not None


def _sealed(value: Any) -> dict[str, str]:
    return {SEALED: cipher().encrypt(json.dumps(value).encode()).decode()}


def _opened(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {SEALED}:
        return json.loads(cipher().decrypt(value[SEALED].encode()))
    return value
