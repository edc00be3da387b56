"""The Celery application: two queues whose tasks announce work; results are not used.

The database is the authority. Workers look there for work that was never announced, so a task may
be lost, and a late one changes nothing. Hence:

- `task_acks_late` is off. If a worker is killed, another one takes up its work when the lease
  expires, within seconds; Redis would deliver the task again only after an hour.
- Publishing is not retried; a Redis that is down or hangs delays a request by about a second.
- There is no result backend and no remote control: nothing reads them.

Quick to import, for every process that sends tasks; `config.worker` has what a worker needs.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# No fix-ups: the one for Django imports the worker's machinery into every process.
app = Celery("roundtrip", fixups=[])
app.config_from_object("config.queues")
# Celery's current app is per thread; this makes it the default in threads of web requests too.
app.set_default()
