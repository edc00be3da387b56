"""What the gateway of this process has passed on and recorded, for `/metrics`."""

from collections import Counter
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from api.gateway.call import Loss


class Counts:
    """`passed_on`: calls that were sent to a provider. `running`: those that have not ended."""

    def __init__(self) -> None:
        self.passed_on = 0
        self.running = 0
        self.recorded = 0
        self.lost: Counter[Loss] = Counter()


# Of this process. Increments are made on one thread each, or under the recorder's lock.
OF_PROCESS = Counts()


class GatewayMetrics(Collector):
    """Since this process began."""

    def collect(self) -> Iterator[Metric]:
        counts = OF_PROCESS
        help_text = "Calls that the gateway passed on to providers."
        yield CounterMetricFamily("roundtrip_gateway_calls", help_text, counts.passed_on)
        help_text = "Calls of the gateway that run."
        yield GaugeMetricFamily("roundtrip_gateway_running", help_text, counts.running)
        help_text = "Calls of the gateway that were recorded."
        yield CounterMetricFamily("roundtrip_gateway_recorded", help_text, counts.recorded)
        help_text = "Calls that were passed on and could not be recorded, by reason."
        lost = CounterMetricFamily("roundtrip_gateway_lost", help_text, labels=["reason"])
        for loss in Loss:
            lost.add_metric([loss.value], counts.lost[loss])
        yield lost
