"""A model's parameters between their canonical JSON and the fields of a form.

Canonical: `temperature`, `top_p`, `max_tokens`, `stop`, `seed`, `reasoning_effort`, and `extra`,
whose members are put into the request's body unchanged. Other keys of a row, and values that do not
fit their field, are shown under `extra`, so that an edit loses nothing.
"""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from chat.llm.parameters import NAMES
from chat.providers.fields import JSONObjectField, StopSequencesField
from languages.later import later
from limits.models import MAX_INTEGER_PARAMETER, MAX_STOP_SEQUENCES

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
NUMBERS = {"temperature": (0.0, 2.0), "top_p": (0.0, 1.0)}
COUNTS = {"max_tokens": 1, "seed": -(2**63)}
# Members of the body that Roundtrip writes; one in `extra` would replace it.
OWN_KEYS = frozenset({"model", "messages", "stream", "tools", "functions", "system"})

Parameters = dict[str, Any]


class ParametersForm(forms.Form):
    """The fields of the parameters, for a model's form and the playground."""

    temperature = forms.FloatField(
        required=False,
        min_value=0,
        max_value=2,
        help_text=later("0 to 2. Higher is more varied. Blank: the provider's default."),
    )
    top_p = forms.FloatField(
        label=later("Top p"),
        required=False,
        min_value=0,
        max_value=1,
        help_text=later(
            "0 to 1. Only the likeliest tokens with this probability in total are used."
        ),
    )
    max_tokens = forms.IntegerField(
        label=later("Maximum tokens of an answer"),
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text=later("The answer is cut off there; reasoning counts."),
    )
    seed = forms.IntegerField(
        required=False,
        min_value=-MAX_INTEGER_PARAMETER - 1,
        max_value=MAX_INTEGER_PARAMETER,
        help_text=later(
            "The same seed tends to give the same answer, where the server supports it."
        ),
    )
    reasoning_effort = forms.ChoiceField(
        label=later("Reasoning effort"),
        required=False,
        choices=[("", later("Not sent")), *((effort, effort) for effort in EFFORTS)],
        help_text=later(
            "For models that think. Which values a model accepts depends on its provider."
        ),
    )
    stop = StopSequencesField(
        label=later("Stop sequences"),
        required=False,
        help_text=later(
            r"One per line. The answer ends before the first match. \n is a line break."
        ),
    )
    extra = JSONObjectField(
        label=later("Extra parameters"),
        required=False,
        help_text=later(
            'A JSON object that goes into the request\'s body as it is, such as {"top_k": 20}'
            ' or {"enable_thinking": true}.'
        ),
    )

    def clean_stop(self) -> list[str]:
        stops: list[str] = self.cleaned_data["stop"]
        if len(stops) > MAX_STOP_SEQUENCES:
            raise ValidationError(gettext("At most %(most)s.") % {"most": MAX_STOP_SEQUENCES})
        return stops

    def clean_extra(self) -> Parameters:
        extra: Parameters = self.cleaned_data["extra"]
        if own := sorted(OWN_KEYS & set(extra)):
            raise ValidationError(
                gettext("Roundtrip itself writes %(own)s: leave it out here.")
                % {"own": ", ".join(own)}
            )
        twice = [name for name in NAMES if name in extra and name in from_fields(self.cleaned_data)]
        if twice:
            raise ValidationError(
                gettext("%(twice)s is set above already: set it only once.")
                % {"twice": ", ".join(twice)}
            )
        return extra


def to_fields(parameters: Parameters) -> Parameters:
    """The fields' values for a row's parameters."""
    rest = dict(parameters)
    values = {name: rest.pop(name) for name in NAMES if name in rest and _fits(name, rest[name])}
    if isinstance(values.get("stop"), str):
        values["stop"] = [values["stop"]]
    extra = rest.pop("extra", {})
    return {**values, "extra": rest | extra if isinstance(extra, dict) else rest}


def from_fields(cleaned: Parameters) -> Parameters:
    """The canonical JSON of the fields' values; blank ones are absent."""
    names = (*NAMES, "extra")
    return {name: cleaned[name] for name in names if cleaned.get(name) not in (None, "", [], {})}


def _fits(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if name in NUMBERS:
        low, high = NUMBERS[name]
        return isinstance(value, int | float) and low <= value <= high
    if name in COUNTS:
        return isinstance(value, int) and COUNTS[name] <= value <= MAX_INTEGER_PARAMETER
    if name == "stop":
        stops = [value] if isinstance(value, str) else value
        return isinstance(stops, list) and all(isinstance(stop, str) and stop for stop in stops)
    return value in EFFORTS
