"""Whether there are webhooks at all. Turns end all the time, and most deployments have none."""

import time
from threading import Lock

from chat.models import Webhook

# Seconds after which a new webhook is known in every process.
FRESH_S = 5.0

_lock = Lock()
_known: tuple[float, bool] = (0.0, False)


def any_webhook() -> bool:
    """As it was at most `FRESH_S` ago; one statement then."""
    global _known
    with _lock:
        until, answer = _known
        if time.monotonic() < until:
            return answer
        answer = Webhook.objects.filter(enabled=True).exists()
        _known = time.monotonic() + FRESH_S, answer
        return answer


def forget() -> None:
    """Webhooks have changed: this process looks again."""
    global _known
    _known = 0.0, False
