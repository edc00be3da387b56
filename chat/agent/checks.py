"""What a start says of the operator's numbers, before anything runs with them."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from chat.agent.numbers import problems

TAG = "agent"
HINT = 'Change the variable AGENT_LIMITS: a JSON object, such as {"auto_share": 0.7}, or nothing.'


@register(TAG)
def limits(app_configs: Any, **options: Any) -> Sequence[CheckMessage]:
    """An error for each number of `AGENT_LIMITS` that cannot be meant."""
    return [
        Error(f"AGENT_LIMITS{f', {name}' if name else ''}: {sentence}", hint=HINT, id="agent.E001")
        for name, sentence in problems(settings.AGENT_LIMITS).items()
    ]
