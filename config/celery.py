"""The Celery application: two queues, ids as arguments, no results.

The database is the authority and every task may run any number of times, so nothing is acknowledged
late: a redelivery would add nothing that the reaper does not do sooner.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("roundtrip")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["chat", "tools"])
