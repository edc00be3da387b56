"""Work that a page or an API call asks for and polls: one state machine for every kind of job.

    idle ──ask──► asked ──take──► running ──finish──► succeeded | failed
                    │                │
                    ├── end ─────────┴──► stopped
                    └── sweep ───────┴──► failed: no worker took it, or its worker is gone

The web process stores a job and rings a worker through Celery; the database is the authority, so
that a second ring changes nothing. A worker takes a job by compare-and-set, which raises its epoch:
only who holds the latest epoch may end it.

| Module | What it has |
|---|---|
| `models` | `Job`, a row of its own; `Checkable`, the columns in the row of what is checked |
| `kinds` | `Kind`: what is special about one kind of job |
| `transitions` | `ask`, `take`, `beat`, `finish`, `end`, `sweep` |
| `heartbeat` | the jobs that this process runs, and saying that they are alive |
| `ring` | ringing the workers: a Celery task, the list of turns |
| `fair_slots` | the threads of a worker, shared among users |

A new kind: a model that inherits `Job` or `Checkable`, a module with its `Kind` and what asks for
it, a Celery task that takes, does and finishes it, an entry in `chat.periodic.SWEPT`, a row in
the table of `jobs/tests/test_kinds.py`.

No Django app: its models are abstract, so that each table belongs to the app of its kind.
"""

from jobs.heartbeat import keep_alive, renew
from jobs.kinds import Kind
from jobs.models import OPEN, Checkable, Columns, Job, State, overdue
from jobs.transitions import ask, beat, end, finish, give_up, sweep, take

__all__ = [
    "OPEN",
    "Checkable",
    "Columns",
    "Job",
    "Kind",
    "State",
    "ask",
    "beat",
    "end",
    "finish",
    "give_up",
    "keep_alive",
    "overdue",
    "renew",
    "sweep",
    "take",
]
