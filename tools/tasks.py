"""What Celery calls. The argument is a row's id, and whose it is, for the slots that users share
(0: nobody's in particular); everything else is in the database."""

import logging
from functools import partial

from celery import shared_task

import jobs
from tools import loop
from tools.accounts import signing_in
from tools.accounts.sessions import configured
from tools.calls.slots import tools_worker
from tools.errors import OUR_FAULT, Failure
from tools.health import checks
from tools.mcp import listing
from tools.models import Server
from tools.servers import reading
from tools.trials import running, trials

logger = logging.getLogger(__name__)


@shared_task(name="tools.refresh", ignore_result=True)
def refresh(server_pk: int, user_pk: int | None = None) -> None:
    look(server_pk, user_pk)


@shared_task(name="tools.try", ignore_result=True)
def try_once(trial_pk: int, user_pk: int = 0) -> None:
    tools_worker.run(user_pk, ("trial", trial_pk), partial(running.run, trial_pk))


@shared_task(name="tools.sign_in", ignore_result=True)
def sign_in(sign_in_pk: int) -> None:
    """Starts the flow, which goes on after this has ended: it waits for a person."""
    loop.submit(signing_in.run(sign_in_pk))


@shared_task(name="tools.read", ignore_result=True)
def read(reading_pk: int, user_pk: int = 0) -> None:
    tools_worker.run(user_pk, ("reading", reading_pk), partial(reading.run, reading_pk))


def look(server_pk: int, user_pk: int | None = None) -> None:
    """Look at the server, as this user or as who asked, if that was asked for and nobody else does.

    Without room for one more it stays as it is, and is rung again.
    """
    server = checks.take(server_pk)
    if server is None:
        return
    try:
        with jobs.keep_alive(checks.SERVER_CHECK, server):
            _look(server, user_pk)
    finally:
        checks.ring_waiting()


def _look(server: Server, user_pk: int | None) -> None:
    trial = trials.begin(server)
    is_first = server.tools_listed is None
    try:
        config = configured(server.config(), user_pk or server.check_user_id)
        with jobs.keep_alive(trials.TRIAL, trial):
            finding = running.look(config, trial, is_first=is_first)
        finding = listing.with_open_sessions(finding, config)
    except Exception:
        logger.exception("looking at the server %s failed", server)
        finding = listing.Finding(Failure(OUR_FAULT))
    jobs.finish(trials.TRIAL, trial, finding.error)
    listing.store(server, finding)
