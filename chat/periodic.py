"""The periodic work of the `tools` worker: functions by how often they run.

The worker's timer (`chat.engine.worker`) gets them from here and imports none of them.
"""

from functools import partial
from typing import Any

import jobs
from audit import retention as audit_retention
from chat.attachments import uploads
from chat.commands import deletion, group_sharing, temporary
from chat.engine.titles import naming
from chat.engine.worker.counting import count_ended
from chat.engine.worker.periodic_tasks import (
    PeriodicWork,
    delete_asked,
    index_again,
    remove_old,
)
from chat.files import workspace_sizes
from chat.own_data import archives
from chat.own_data import deletion as account_deletion
from chat.own_data.archives import ARCHIVE
from chat.playground.runs import PLAYGROUND_RUN
from chat.providers import known_prices
from chat.providers.checks import MODEL_CHECK
from chat.search.files.indexing import index_noted_files
from chat.search.indexing import index_noted
from chat.sharing import links
from chat.transfer import imports
from chat.transfer.imports import IMPORT
from chat.webhooks import deliveries as webhooks
from db.threads import in_database
from tools.accounts.sign_ins import SIGN_IN
from tools.servers.readings import READING
from tools.servers.refreshing import ask_the_stale
from tools.trials.trials import TRIAL
from tracing.retention.erasing import erase_deleted
from tracing.stats.aggregates.metrics import forget_errors

# Jobs that a sweep ends when no worker works on them. Checks of servers are repeated instead
# (`ask_the_stale`), and deletions of accounts go on (`own_data.deletion`).
SWEPT: tuple[jobs.Kind[Any], ...] = (
    TRIAL,
    READING,
    SIGN_IN,
    MODEL_CHECK,
    PLAYGROUND_RUN,
    IMPORT,
    ARCHIVE,
)


def sweep_jobs() -> None:
    """Ends all jobs that no worker works on any more."""
    for kind in SWEPT:
        jobs.sweep(kind)


PERIODIC_WORK = PeriodicWork(
    every_beat=(
        count_ended,
        delete_asked,
        index_again,
        partial(in_database, index_noted),
        partial(in_database, index_noted_files),
        workspace_sizes.count_touched,
        partial(in_database, webhooks.go_on),
    ),
    every_minute=(
        partial(in_database, ask_the_stale),
        partial(in_database, sweep_jobs),
        partial(in_database, naming.sweep),
        partial(in_database, temporary.erase_left),
        partial(in_database, deletion.erase),
        partial(in_database, group_sharing.forget_ended),
        partial(in_database, account_deletion.go_on),
        partial(in_database, imports.undo_unfinished),
        erase_deleted,
    ),
    every_hour=(
        partial(in_database, uploads.sweep),
        partial(in_database, imports.sweep),
        partial(in_database, archives.sweep),
        partial(in_database, forget_errors),
        partial(in_database, links.sweep),
        partial(in_database, webhooks.sweep),
        partial(in_database, audit_retention.sweep),
        known_prices.renew,
        remove_old,
        workspace_sizes.count_all,
    ),
)
