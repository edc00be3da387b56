"""The Celery application: two queues that ring, and nothing else.

The database is the authority and the reaper finds what was never rung, so a ring may be lost, and a
late one changes nothing. Hence:

- `task_acks_late` is off. A ring that a killed worker had is found by its lease within seconds;
  Redis would deliver it again an hour later, for nothing.
- A publish is not retried, and a Redis that is down or hangs holds a request for about a second.
- There is no result backend, and no remote control: nobody reads them.

Light to import, for every process that rings; what a worker needs is in `config.worker`.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# No fix-ups: the one for Django imports the worker's machinery into every process.
app = Celery("roundtrip", fixups=[])
app.config_from_object("config.queues")
# The current app is one of a thread; web requests ring from threads that never made one.
app.set_default()
