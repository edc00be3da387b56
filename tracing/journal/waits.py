"""When a call waited for a person in the middle of it: `attributes.waits`, pairs of moments (ISO
8601), from when and until when; the last has null while it lasts."""

from django.utils import timezone

from tracing.models.attributes import CallAttributes


def begin(attributes: CallAttributes) -> None:
    """In a span's attributes; nothing if it waits already."""
    waits = attributes.setdefault("waits", [])
    if not waits or waits[-1][1] is not None:
        waits.append([timezone.now().isoformat(), None])


def end(attributes: CallAttributes) -> None:
    waits = attributes.get("waits")
    if waits and waits[-1][1] is None:
        waits[-1][1] = timezone.now().isoformat()
