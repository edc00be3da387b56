"""The model call of a title, made in a worker as a turn would make it; nobody is shown its text."""

import logging
from functools import partial

from chat.engine.generation.evidence import journal_request
from chat.engine.generation.exchange import Exchange
from chat.engine.titles import naming
from chat.engine.titles.naming import Naming
from chat.engine.worker.running_turns import running_turns
from db.threads import in_database
from limits.models import MAX_TITLE_S
from tools import loop

logger = logging.getLogger(__name__)


def run(turn_id: int) -> None:
    """Asks for the title of the turn's conversation, unless that was done or is not due."""
    if running_turns.closing:
        return
    begun = in_database(naming.begin, turn_id)
    if begun is not None:
        ask(begun)


def ask(begun: Naming) -> None:
    """Makes the call that was begun, and writes its outcome."""
    try:
        journal = partial(journal_request, begun.conversation.archive, begun.generation)
        exchange = Exchange(begun.served, begun.meant, journal)
        generated = loop.submit(exchange.run_within(MAX_TITLE_S)).result()
    except Exception:
        # Also when the process ends: the loop cancels what runs on it.
        logger.warning("A title was not asked for to the end", exc_info=True)
        in_database(naming.give_up, begun)
        return
    in_database(naming.finish, begun, generated)
