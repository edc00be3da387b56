"""Names of models, of their columns and of the choices of a column, as the admin shows them.

Django makes most of them from the names of classes and attributes ("context window"). They are
translated by the catalogue's context `column`, without a line in the models and without migrations:
what Django writes into migrations is the English that a class has.
"""

from typing import Any

from django.apps import AppConfig
from django.db.models import Field
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

CONTEXT = "column"


def translate(app: AppConfig) -> None:
    """Makes the names in an app's models those of whoever reads them."""
    for model in app.get_models():
        options = model._meta
        options.verbose_name = _named(str(options.verbose_name))
        options.verbose_name_plural = _named(str(options.verbose_name_plural))
        for column in (*options.local_fields, *options.local_many_to_many):
            _translate_column(column)


def _translate_column(column: "Field[Any, Any]") -> None:
    column.verbose_name = _named(column.verbose_name)
    if column.help_text:
        column.help_text = _named(column.help_text)
    if column.choices:
        column.choices = [(value, _named(label)) for value, label in column.flatchoices]


def _named(text: Any) -> Any:
    """The text for its reader; one that is already translated as it is."""
    return text if isinstance(text, Promise) else pgettext_lazy(CONTEXT, str(text))
