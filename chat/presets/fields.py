"""What people write of a preset: lists, rows of policies, numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from chat.agent.limits import Limits
from chat.agent.numbers import NUMBERS, Number, problem
from limits.chat import MAX_PATTERN, MAX_PATTERNS, MAX_STARTER, MAX_STARTERS
from tools.models import Policy
from tools.servers.forms import LinesField

Pairs = list[list[str]]


class PatternsField(LinesField):
    """Names and patterns, one a line."""

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]  # as its parent
        found: list[str] = list(dict.fromkeys(super().to_python(value)))
        if sentence := patterns_problem(found):
            raise ValidationError(sentence)
        return found


class StartersField(LinesField):
    """Suggestions for the first message, one a line."""

    def prepare_value(self, value: Any) -> Any:
        flat = [" ".join(one.split()) for one in value] if isinstance(value, list) else value
        return super().prepare_value(flat)

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]  # as its parent
        found: list[str] = super().to_python(value)
        if sentence := starters_problem(found):
            raise ValidationError(sentence)
        return found


class PolicyRows(forms.Widget):
    """Rows of a pattern and what its calls need; a template draws them."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Pairs:
        patterns, needs = data.getlist(f"{name}-pattern"), data.getlist(f"{name}-needs")
        return [list(pair) for pair in zip(patterns, needs, strict=False) if pair[0].strip()]


class PoliciesField(forms.Field):
    widget = PolicyRows

    def clean(self, value: Any) -> Pairs:
        found = [[pattern.strip(), needs] for pattern, needs in value or ()]
        if sentence := policies_problem(found):
            raise ValidationError(sentence)
        return found


class LimitField(forms.CharField):
    """A number, or nothing: then what is inherited counts."""

    def __init__(self, name: str, inherited: float, *, may_raise: bool) -> None:
        self.name, self.number, self.inherited = name, NUMBERS[name], inherited
        self.highest = inherited if self.number.is_ceiling and not may_raise else None
        super().__init__(label=self.number.label, required=False, max_length=30)
        self.help_text = _explained(self.number, inherited, self.highest)
        self.widget.attrs |= {"inputmode": "decimal", "autocomplete": "off"}
        self.widget.attrs["placeholder"] = f"{inherited:,.15g}"

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) or value is None else f"{value:.15g}"

    def to_python(self, value: Any) -> float | None:  # type: ignore[override]  # a number, not text
        text = str(value or "").replace(",", "").replace("\u202f", "").strip()
        if not text:
            return None
        try:
            found = int(text) if text.lstrip("+-").isdecimal() else float(text)
        except ValueError:
            found = text  # type: ignore[assignment]  # which is no number
        if sentence := problem(self.name, found):
            raise ValidationError(sentence)
        if self.highest is not None and found > self.highest:
            raise ValidationError(
                gettext(
                    "%(highest)s is the limit here; only assistants that an admin publishes may "
                    "exceed it."
                )
                % {"highest": f"{self.highest:,.15g}"}
            )
        return found

    def run_validators(self, value: Any) -> None:
        """A number has none of a text's."""


class LimitsForm(forms.Form):
    """All numbers of the agent. `above` is what counts where nothing is written."""

    def __init__(
        self, *args: Any, layer: Mapping[str, Any], above: Limits, may_raise: bool, **options: Any
    ) -> None:
        initial = {f"limit_{name}": value for name, value in layer.items() if name in NUMBERS}
        options["initial"] = initial
        super().__init__(*args, **options)
        for name in NUMBERS:
            inherited = getattr(above, name)
            self.fields[f"limit_{name}"] = LimitField(name, inherited, may_raise=may_raise)

    @property
    def layer(self) -> dict[str, float]:
        """What was written. The form is valid."""
        written = {name: self.cleaned_data[f"limit_{name}"] for name in NUMBERS}
        return {name: value for name, value in written.items() if value is not None}


def patterns_problem(found: Sequence[str]) -> str:
    if len(found) > MAX_PATTERNS:
        return gettext("These are %(count)s lines; the limit is %(most)s. Use patterns.") % {
            "count": len(found),
            "most": MAX_PATTERNS,
        }
    if any(len(one) > MAX_PATTERN for one in found):
        return gettext("One line has more than %(most)s characters.") % {"most": MAX_PATTERN}
    return ""


def starters_problem(found: Sequence[str]) -> str:
    if len(found) > MAX_STARTERS:
        return gettext("These are %(count)s lines; the limit is %(most)s.") % {
            "count": len(found),
            "most": MAX_STARTERS,
        }
    if any(len(one) > MAX_STARTER for one in found):
        return gettext("One line has more than %(most)s characters.") % {"most": f"{MAX_STARTER:,}"}
    return ""


def policies_problem(found: Sequence[Sequence[str]]) -> str:
    if any(needs not in Policy.values for _, needs in found):
        return gettext("Choose allow, ask or deny for every row.")
    return patterns_problem([pattern for pattern, _ in found])


def _explained(number: Number, inherited: float, highest: float | None) -> str:
    bounds = (
        gettext("%(least)s to %(highest)s")
        % {"least": f"{number.least:,g}", "highest": f"{highest:,.15g}"}
        if highest is not None
        else number.bounds
    )
    return f"{number.meaning} {bounds} {number.unit}; empty: {inherited:,.15g}."
