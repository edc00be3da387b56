"""A server's question, as a form or as a page to visit. Its content is untrusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from chat.models import Question
from tools.questions import question_forms
from tools.questions.form_secrets import secret_fields
from tools.questions.question_forms import Choice, Field
from tracing.formatting.text import visible

_INPUTS = {"email": "email", "uri": "url", "date": "date"}


@dataclass(frozen=True)
class FieldView:
    """One field; `name` is exactly the server's, the other texts are made visible."""

    name: str
    kind: str
    title: str
    description: str
    hint: str
    required: bool
    input: str
    value: str
    checked: bool
    least: object
    most: object
    choices: Sequence[Choice]
    is_secret: bool = False

    @property
    def has_chosen(self) -> bool:
        return any(choice.chosen for choice in self.choices)


@dataclass(frozen=True)
class QuestionView:
    """`host` is empty if a browser should not open the URL. With `waits_for_visit` the call is made
    again after the visit, and the person has to confirm it."""

    id: str
    kind: str
    message: str
    url: str
    link: str
    host: str
    waits_for_visit: bool
    fields: Sequence[FieldView]

    @property
    def secrets(self) -> str:
        """The titles of fields that ask for a secret, which no server should do in a form."""
        return ", ".join(one.title for one in self.fields if one.is_secret)


def question_view(question: Question) -> QuestionView:
    host = _host(question.url)
    secrets = {one.name for one in secret_fields(question.schema, question.message)}
    return QuestionView(
        id=str(question.public_id),
        kind=str(question.kind),
        message=visible(question.message),
        url=visible(question.url),
        link=question.url if host else "",
        host=visible(host),
        waits_for_visit=question.expires is None,
        fields=[
            _field_view(one, one.name in secrets) for one in question_forms.fields(question.schema)
        ],
    )


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""
    return host or ""


def _field_view(one: Field, is_secret: bool) -> FieldView:
    is_text = isinstance(one.default, str | int | float) and not isinstance(one.default, bool)
    return FieldView(
        name=one.name,
        kind=one.kind,
        title=visible(one.title),
        description=visible(one.description),
        hint=visible(one.hint),
        required=one.required,
        input="password" if is_secret else _INPUTS.get(one.format, "text"),
        value=str(one.default) if is_text else "",
        checked=one.default is True,
        least=_bound(one.least),
        most=_bound(one.most),
        choices=[Choice(c.value, visible(c.title), c.chosen) for c in one.choices],
        is_secret=is_secret,
    )


def _bound(bound: object) -> object:
    return bound if isinstance(bound, int | float) and not isinstance(bound, bool) else None
