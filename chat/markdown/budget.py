"""What rendering one text may cost beyond parsing it: colours of code, formulas."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from chat.markdown.render_pool import POOL, NoAnswer

logger = logging.getLogger(__name__)

# How precisely the timer of a process ends a request.
TIMER_TICK_S = 0.01


@dataclass
class RenderBudget:
    """Seconds of CPU time that highlighting and formulas may still take in one text.

    Each piece of code adds to what there is by its length: an ordinary lexer takes about 10 µs a
    character, one whose time grows with the square of the length runs out, and the rest of the
    text is shown plain.
    """

    seconds: float = 0.5
    seconds_per_character: float = 20e-6

    def render(self, request: Mapping[str, object]) -> str | None:
        """HTML of the request's `text`; None where there is none or the time is up."""
        self.seconds += len(str(request["text"])) * self.seconds_per_character
        if self.seconds < TIMER_TICK_S:
            return None
        try:
            html, cpu_s = POOL.render(request, self.seconds)
        except NoAnswer as error:
            logger.warning("A %s is shown as plain text: %s", request["kind"], error)
            return None
        self.seconds -= cpu_s
        return html
