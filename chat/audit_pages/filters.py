"""Which rows of the audit log are asked for."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from django import forms
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from audit.models import Action, Door, Event, EventQuerySet
from db.public_ids import parse_public_id
from limits.audit import MAX_AUDITED_NAME

_ANY = [("", _("Any"))]
_DATE = {"type": "date"}
_MARGIN = timedelta(days=3)


class FilterForm(forms.Form):
    """All optional. `target` is a kind of thing, such as `provider`, or an id."""

    person = forms.CharField(label=_("Person"), required=False, max_length=MAX_AUDITED_NAME)
    action = forms.ChoiceField(label=_("Action"), required=False)
    door = forms.ChoiceField(label=_("Door"), required=False)
    target = forms.CharField(label=_("Kind or id of what"), required=False, max_length=64)
    since = forms.DateField(label=_("From"), required=False, widget=forms.DateInput(attrs=_DATE))
    until = forms.DateField(label=_("To"), required=False, widget=forms.DateInput(attrs=_DATE))

    def __init__(self, *args: Any, zone: tzinfo, **options: Any) -> None:
        super().__init__(*args, **options)
        self.zone = zone
        for name, choices in (("action", Action.choices), ("door", Door.choices)):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [*_ANY, *choices]

    def rows(self) -> EventQuerySet:
        """The rows, newest first; none if a field is not valid."""
        rows = Event.objects.order_by("-when", "-pk")
        if not self.is_valid():
            return rows.none()
        chosen = self.cleaned_data
        if chosen["person"]:
            rows = rows.filter(actor_name=chosen["person"])
        for name in ("action", "door"):
            if chosen[name]:
                rows = rows.filter(**{name: chosen[name]})
        if target := chosen["target"].strip():
            is_id = parse_public_id(target) or target.isdecimal()
            rows = rows.filter(**{"target_id" if is_id else "target_type": target.lower()})
        if chosen["since"]:
            rows = rows.filter(when__gte=self._midnight(chosen["since"]))
        if chosen["until"]:
            rows = rows.filter(when__lt=self._midnight(chosen["until"]) + timedelta(days=1))
        return rows

    def _midnight(self, day: date) -> datetime:
        """A day at either end of the calendar stands for one that every time zone has."""
        within = min(max(day, date.min + _MARGIN), date.max - _MARGIN)
        return datetime.combine(within, time(), self.zone)


@dataclass(frozen=True)
class Place:
    """Of a row in the log: rows after it are older."""

    when: datetime
    pk: int

    def __str__(self) -> str:
        return f"{self.when.isoformat()}~{self.pk}"

    @classmethod
    def parse(cls, text: str) -> "Place | None":
        moment, _separator, key = text.partition("~")
        try:
            when = parse_datetime(moment)
        except ValueError:
            return None
        if when is None or when.tzinfo is None or not key.isdecimal() or len(key) > 18:
            return None
        try:
            return cls(when.astimezone(UTC), int(key))
        except OverflowError:  # at either end of the calendar
            return None


def after(rows: EventQuerySet, place: Place | None) -> EventQuerySet:
    """Those that are older than the row at this place."""
    if place is None:
        return rows
    return rows.filter(when__lte=place.when).exclude(when=place.when, pk__gte=place.pk)
