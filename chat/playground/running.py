"""The model call of a run, made in a worker as a turn would make it; a page shows its text
meanwhile."""

import logging
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet

import jobs
from chat.engine.generation.evidence import finish_generation_without_turn
from chat.engine.generation.exchange_run import ExchangeRun
from chat.engine.generation.outcome import Generated
from chat.engine.turn.ceilings import ceilings
from chat.engine.worker.running_turns import Cut, running_turns
from chat.playground import run_text, runs
from chat.playground.run_text import RunText
from chat.playground.runs import StartedRun
from db.threads import in_database
from languages.stored import stored

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.4
SHUT_DOWN = stored("The worker was shut down. Run again.")


def run(run_pk: int) -> None:
    """Makes the call of a run that a page asked for, unless another worker does."""
    started = in_database(runs.begin, run_pk)
    if started is None:
        return
    try:
        _call_model(started)
    except Exception as error:
        logger.exception("the playground's run %s failed", run_pk)
        sentence = stored("The run itself failed: %(name)s.", name=type(error).__name__)
        in_database(jobs.finish, runs.PLAYGROUND_RUN, started.run, sentence)
    finally:
        run_text.forget(started.run.trace.public_id)


def _call_model(started: StartedRun) -> None:
    text = RunText(started.run.trace.public_id)
    exchange: ExchangeRun = ExchangeRun(
        started.run.trace.archive,
        started.generation,
        started.served,
        started.meant,
        lambda: text,
        # The loop cancels what runs on it when the process ends.
        lambda: Cut.STOPPED if exchange.is_cancelled else Cut.HANDOVER,
        seconds=ceilings().seconds,
    )
    future = exchange.start()
    try:
        _wait(started, exchange, future, text)
    finally:
        exchange.cancel()
    in_database(_close, started, future.result())


def _wait(
    started: StartedRun, exchange: ExchangeRun, future: "Future[Generated]", text: RunText
) -> None:
    """Until the call's end: shows its text, keeps the job alive, and stops the call when asked."""
    while not future.done():
        try:
            future.result(TICK_SECONDS)
        except NotYet:
            text.write()
            if running_turns.closing or not in_database(runs.beat, started.run):
                exchange.cancel()


def _close(started: StartedRun, generated: Generated) -> None:
    is_stopped = generated.cut is not None
    error = SHUT_DOWN if is_stopped and running_turns.closing else generated.sentence
    finish_generation_without_turn(
        started.run.trace.archive, started.generation, started.meant, generated, error
    )
    jobs.finish(runs.PLAYGROUND_RUN, started.run, error, is_stopped=is_stopped)
