"""Stories of one product that go on side by side through one fault: several promises about a kill
are looked at with one kill.

A story is a generator. It leads to the moment of the fault and yields there, if need be, what has
to be done immediately before it. It goes on once the fault has happened.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field

from tests.faults.browser import Browser
from tests.faults.ledger import Ledger
from tests.faults.product import Product

LastWords = Callable[[], object] | None


@dataclass
class Stage:
    """Where stories happen. `fault_at`: the time of the fault, as of `time.monotonic`."""

    product: Product
    fault_at: float = 0.0
    tabs: ExitStack = field(default_factory=ExitStack)

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.product.home)

    def tab(self) -> Browser:
        """A new tab of the owner's."""
        return self.tabs.enter_context(Browser(self.product.url, self.product.cookies["owner"]))


Story = Callable[[Stage], Iterator[LastWords]]


Told = Mapping[str, "Future[None]"]


def named(*stories: Story) -> dict[str, Story]:
    return {story.__name__: story for story in stories}


def tell(product: Product, stories: Mapping[str, Story], fault: Callable[[], float]) -> Told:
    """Tells all stories; what each came to, by its name. `fault` answers when it happened."""
    stage = Stage(product)
    tellings = [story(stage) for story in stories.values()]
    with stage.tabs, ThreadPoolExecutor(len(stories)) as pool:
        begun = [pool.submit(next, telling) for telling in tellings]
        wait(begun)
        list(pool.map(_speak, begun))
        stage.fault_at = fault()
        pairs = zip(tellings, begun, strict=True)
        ended = [pool.submit(_go_on, telling, beginning) for telling, beginning in pairs]
        wait(ended)
    return dict(zip(stories, ended, strict=True))


def _speak(beginning: "Future[LastWords]") -> None:
    if beginning.exception() is None and (last_words := beginning.result()) is not None:
        last_words()


def _go_on(telling: Iterator[LastWords], beginning: "Future[LastWords]") -> None:
    """Raises what the story raised, at its beginning or now."""
    beginning.result()
    assert next(telling, None) is None
