"""Slots of a worker, shared among users: nobody waits long behind the work of somebody else.

A user takes another slot only while they have fewer than are free (Choudhury and Hahne, "Dynamic
queue length thresholds for shared-memory packet switches", 1998). One user alone gets half of the
slots, n users an (n+1)th each, and as much is free for whoever comes next. Work that is not let in
waits in its user's own line, and holds no thread.
"""

import logging
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable

logger = logging.getLogger(__name__)

Work = Callable[[], object]


class FairSlots:
    """`capacity` slots. For any number of threads; the lines are of this process."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._running: Counter[int] = Counter()
        # By user, in the order of their next turn; the works by key, first come first served.
        self._lines: OrderedDict[int, OrderedDict[Hashable, Work]] = OrderedDict()
        self._lock = threading.Lock()

    def run(self, user: int, key: Hashable, work: Work) -> None:
        """Runs the work now, and then what waits and is let in; or puts it into the user's line,
        once by its key."""
        with self._lock:
            if not self._has_room(user):
                self._lines.setdefault(user, OrderedDict()).setdefault(key, work)
                return
            self._running[user] += 1
        self._work(user, work)

    def has_room(self, user: int) -> bool:
        """Whether work of this user would run now."""
        with self._lock:
            return self._has_room(user)

    def is_waiting(self, key: Hashable) -> bool:
        with self._lock:
            return any(key in line for line in self._lines.values())

    @property
    def waiting(self) -> int:
        """How many works wait, of all users."""
        with self._lock:
            return sum(map(len, self._lines.values()))

    def _work(self, user: int, work: Work) -> None:
        """In this thread: the work, and then whatever gets its slot."""
        following: tuple[int, Work] | None = (user, work)
        while following is not None:
            user, work = following
            try:
                work()
            except Exception:
                logger.exception("Work of user %s failed", user)
            with self._lock:
                self._leave(user)
                following = self._next()

    def _has_room(self, user: int) -> bool:
        return self._running[user] < self.capacity - self._running.total()

    def _leave(self, user: int) -> None:
        self._running[user] -= 1
        if not self._running[user]:
            del self._running[user]

    def _next(self) -> tuple[int, Work] | None:
        """The next work that is let in; users take turns."""
        for user, line in self._lines.items():
            if self._has_room(user):
                _, work = line.popitem(last=False)
                self._lines.move_to_end(user)
                if not line:
                    del self._lines[user]
                self._running[user] += 1
                return user, work
        return None
