"""What an uploaded file has in it, before anything of it is written."""

from collections import Counter
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from chat.transfer.plan import Plan
from chat.transfer.reading import PRODUCTS, ReadConversation
from chat.transfer.storing import is_stored
from db.fields import storable
from limits.transfer import MAX_PREVIEWED_PROBLEMS, MAX_PREVIEWED_TITLES


class Preview:
    """Counts conversation after conversation. `found` is what pages show, as JSON."""

    def __init__(self, user: User) -> None:
        self._user = user
        self._keys: set[tuple[str, str]] = set()
        self._counts: Counter[str] = Counter()
        self._products: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._titles: list[str] = []
        self._problems: list[str] = []

    def add(self, read: ReadConversation) -> None:
        if read.plan is None:
            self._counts["broken"] += 1
            if len(self._problems) < MAX_PREVIEWED_PROBLEMS:
                sentence = _("Conversation %(number)s: %(problem)s")
                names = {"number": read.number, "problem": storable(read.problem)}
                self._problems.append(sentence % names)
            return
        self._products[PRODUCTS[read.plan.product]] += 1
        if self._is_repeated(read.plan):
            self._counts["repeated"] += 1
            return
        self._add_plan(read.plan)

    def _is_repeated(self, plan: Plan) -> bool:
        """Whether it is stored already, or was in the file before."""
        key = (plan.product, plan.key)
        is_known = key in self._keys or is_stored(self._user, plan)
        self._keys.add(key)
        return is_known

    def _add_plan(self, plan: Plan) -> None:
        self._counts["conversations"] += 1
        self._counts["messages"] += plan.spoken
        self._counts["branched"] += plan.branches > 1
        self._counts["branches"] += plan.branches
        self._counts["attachments"] += len(plan.attachments)
        self._left_out += plan.left_out
        if len(self._titles) < MAX_PREVIEWED_TITLES:
            self._titles.append(storable(plan.title)[:200])

    @property
    def found(self) -> dict[str, Any]:
        return {
            **{name: self._counts[name] for name in _COUNTS},
            "products": dict(self._products),
            "left_out": {name: count for name, count in self._left_out.items() if count},
            "titles": self._titles,
            "problems": self._problems,
        }


_COUNTS = (
    "conversations",
    "messages",
    "branched",
    "branches",
    "attachments",
    "repeated",
    "broken",
)
