"""Running one attempt of a turn: its text announced while it arrives, interrupted when asked."""

from functools import partial

from chat.engine.context.compacting import Summarising
from chat.engine.generation.attempts import Attempt
from chat.engine.generation.exchange_run import ExchangeRun, Silent
from chat.engine.generation.live_text import Speaker
from chat.engine.generation.outcome import Generated
from chat.engine.worker.running_turns import RunningTurn


def run_attempt(attempt: Attempt | Summarising, running: RunningTurn) -> Generated:
    """Runs one attempt to its end, which may be an error or an interruption."""
    exchange = ExchangeRun(
        attempt.turn.conversation.archive,
        attempt.generation,
        attempt.served,
        attempt.meant,
        partial(Speaker, attempt) if isinstance(attempt, Attempt) else Silent,
        lambda: running.reason,
        opened=attempt.generation.started,
    )
    future = exchange.start()
    with running.interruption.cancelled_by(exchange.cancel):
        return future.result()
