"""The forms of pages, filled in by programs: the same checks, and the same columns."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from api.problems import INVALID, Problem


def saved(form: "forms.ModelForm[Any]", taken: str) -> Any:
    """The row that a form saves. Raises `Problem`, with a sentence for each field; `taken` is the
    one if somebody has taken the name this very moment."""
    if form.is_valid():
        try:
            with transaction.atomic():
                return form.save()
        except IntegrityError:
            form.add_error("name", taken)
    errors = [
        {"where": f"body.{name}", "why": " ".join(map(str, sentences))}
        for name, sentences in form.errors.items()
    ]
    why = gettext("A value does not fit. The errors name each of them.")
    raise Problem(INVALID, why, {"errors": errors})


def merged(current: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a form: what the row has, with what is to change."""
    return {**current, **change}
