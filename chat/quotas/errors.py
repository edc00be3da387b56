"""QuotaExceeded(Rejected): a limit of a person is reached."""

from datetime import datetime

from chat.errors import Rejected


class QuotaExceeded(Rejected):
    """What was asked for would exceed a limit; `str(error)` says which one, how much is left, and
    when it opens again.

    `limit`: its kind (`QuotaRule.Kind`); `amount` and `left` in the unit of the kind; `opens_at`:
    None if that depends on what people do. `retry_after`: whole seconds for HTTP's header of that
    name (RFC 9110, 10.2.3), None without `opens_at`.
    """

    def __init__(
        self,
        sentence: str,
        *,
        limit: str,
        amount: int,
        left: int,
        opens_at: datetime | None,
        retry_after: int | None,
    ) -> None:
        super().__init__(sentence)
        self.limit = limit
        self.amount = amount
        self.left = left
        self.opens_at = opens_at
        self.retry_after = retry_after
