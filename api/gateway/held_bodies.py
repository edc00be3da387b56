"""The bodies that are in memory whole, to be judged and sent, by their users."""

from collections import Counter

from limits.gateway import MAX_GATEWAY_HELD_BYTES


class HeldBodies:
    """Used on the event loop alone."""

    def __init__(self) -> None:
        self._of_user: Counter[int] = Counter()

    def take(self, user: int, size: int) -> bool:
        """False, and nothing is taken, if that is more than all may hold, or the user half."""
        own, total = self._of_user[user] + size, self._of_user.total() + size
        if total > MAX_GATEWAY_HELD_BYTES or own > MAX_GATEWAY_HELD_BYTES / 2:
            return False
        self._of_user[user] = own
        return True

    def give_back(self, user: int, size: int) -> None:
        self._of_user[user] -= size
        if not self._of_user[user]:
            del self._of_user[user]


OF_PROCESS = HeldBodies()
