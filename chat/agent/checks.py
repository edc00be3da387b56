"""System checks of the operator's numbers, which run before the program starts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from chat.agent.numbers import CEILINGS, problems

TAG = "agent"
HINT = "Change the variable {}: a JSON object, such as {}, or nothing."


@register(TAG)
def limits(app_configs: Any, **options: Any) -> Sequence[CheckMessage]:
    """An error for each invalid number of the settings."""
    agent = problems(settings.AGENT_LIMITS)
    ceilings = problems(settings.TURN_CEILINGS, CEILINGS)
    return [
        *_errors("AGENT_LIMITS", '{"auto_share": 0.7}', agent),
        *_errors("TURN_CEILINGS", '{"tokens": 500000}', ceilings),
    ]


def _errors(variable: str, example: str, sentences: Mapping[str, str]) -> Iterator[Error]:
    hint = HINT.format(variable, example)
    for name, sentence in sentences.items():
        where = f"{variable}, {name}" if name else variable
        yield Error(f"{where}: {sentence}", hint=hint, id="agent.E001")
