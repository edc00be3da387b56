"""The waits of a call for a person's answer: `attributes.waits`, pairs of moments (ISO 8601) at
which a wait began and ended; the end is null while it lasts."""

from django.utils import timezone

from tracing.models.attributes import CallAttributes


def begin(attributes: CallAttributes) -> None:
    """Begins a wait in a span's attributes, unless one lasts already."""
    waits = attributes.setdefault("waits", [])
    if not waits or waits[-1][1] is not None:
        waits.append([timezone.now().isoformat(), None])


def end(attributes: CallAttributes) -> None:
    """Ends the wait that lasts, if one does."""
    waits = attributes.get("waits")
    if waits and waits[-1][1] is None:
        waits[-1][1] = timezone.now().isoformat()
