"""Webhooks."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_WEBHOOKS: Annotated[
    int, Limit("webhooks", "Webhooks of a person; those for everybody together", "Refused")
] = 20
MAX_WEBHOOK_URL: Annotated[int, Limit("characters", "URL of a webhook", "Refused")] = 2_000
MAX_WEBHOOK_S: Annotated[
    float, Limit("seconds", "Time for a webhook to answer, in all", "Sent again later")
] = 15.0
MAX_WEBHOOK_EXCERPT: Annotated[
    int, Limit("bytes", "Read of the answer of a webhook", "The connection is closed")
] = 2_000
MAX_WEBHOOK_ANSWER: Annotated[
    int, Limit("characters", "Answer of the model in an event with contents", "Truncated")
] = 100_000
MAX_WEBHOOK_FAILING: Annotated[
    timedelta, Limit("days", "Time in which a webhook fails without a success", "Switched off")
] = timedelta(days=5)
MAX_DELIVERY_AGE: Annotated[
    timedelta, Limit("days", "Age of a delivery that is over", "Deleted")
] = timedelta(days=30)
MAX_LISTED_DELIVERIES: Annotated[
    int, Limit("deliveries", "Deliveries that the page of a webhook lists", "Not listed")
] = 50
MAX_RUNG_DELIVERIES: Annotated[
    int, Limit("deliveries", "Deliveries that one beat hands to the workers", "Left to the next")
] = 200
MAX_DELIVERY_SILENCE: Annotated[
    timedelta,
    Limit("minutes", "Time for a worker to finish a delivery", "Sent again, with the same id"),
] = timedelta(minutes=1)
