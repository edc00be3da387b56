"""A run: the product starts, people write, faults come, the ledger is made."""

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from benchmarks.stub import LoggedRequest
from tests.chaos.faults import NotPossible, inflict
from tests.chaos.grounds import Grounds, grounds
from tests.chaos.journal import Journal, Lines
from tests.chaos.people import Person
from tests.chaos.plan import SERVERS, Fault, Plan
from tests.chaos.recovery import SPECIFIED
from tests.chaos.rows import note_rows
from tests.chaos.tabs import Tab
from tests.faults.ledger import FINAL, Ledger
from tests.faults.product import wait_for

USERS = ("owner", "outsider")
# After the last message: subagents of stopped turns, titles, the reaper.
SETTLE_SECONDS = 30.0


@dataclass(frozen=True)
class Options:
    """bound: seconds for which a turn may be held up; template: a migrated SQLite file."""

    postgres: bool
    ledger: Path
    bound: float = SPECIFIED
    template: Path | None = None


def run(plan: Plan, options: Options) -> Lines:
    """Runs the plan; answers its ledger."""
    journal = Journal(options.ledger)
    journal.note(
        "plan",
        seed=plan.seed,
        database="PostgreSQL" if options.postgres else "SQLite",
        turns=sum(map(len, plan.conversations)),
        bound=options.bound,
    )
    with grounds(options.postgres, options.template) as ground:
        people = _people(plan, ground, journal)
        for person in people:
            person.start()
        _inflict(plan.faults, ground, people, journal)
        for person in people:
            person.join()
            if person.error:
                journal.note("unfinished", key="", turn="", doing=f"{person.name}: {person.error}")
        _note_end(ground, journal)
    return Lines.of(options.ledger)


def _people(plan: Plan, ground: Grounds, journal: Journal) -> list[Person]:
    product = ground.product

    def person(number: int) -> Person:
        cookie = product.cookies[USERS[number % len(USERS)]]
        return Person(
            f"person-{number}",
            plan.conversations[number],
            product.models,
            lambda name: Tab(name, product.url, cookie, journal),
            journal,
        )

    return [person(number) for number in range(len(plan.conversations))]


def _inflict(
    faults: Sequence[Fault], ground: Grounds, people: Sequence[Person], journal: Journal
) -> None:
    """One fault after the other, as long as somebody writes; then everything is whole again."""
    everybody_is_over = threading.Event()
    threading.Thread(target=_join, args=(people, everybody_is_over), daemon=True).start()
    for fault in faults:
        if everybody_is_over.wait(fault.after):
            break
        began, error = time.monotonic(), ""
        try:
            inflict(fault.name, ground, fault.seconds)
        except (NotPossible, OSError, TimeoutError, AssertionError) as failure:
            error = f"{type(failure).__name__}: {failure}"
            ground.heal()
        journal.note(
            "fault", name=fault.name, began=began, ended=time.monotonic(), error=error[-2000:]
        )
    everybody_is_over.wait()
    ground.heal()


def _join(people: Sequence[Person], over: threading.Event) -> None:
    for person in people:
        person.join()
    over.set()


def _note_end(ground: Grounds, journal: Journal) -> None:
    """What the database, the servers, the stub and the machine say when all is over."""
    product = ground.product
    product.wait_until_whole()
    ledger = Ledger(product.home, product.database)
    try:
        wait_for(lambda: _is_settled(ledger), SETTLE_SECONDS)
    except TimeoutError:
        journal.note("unfinished", key="", turn="", doing="the end of everything")
    for pid, command in ground.strangers():
        journal.note("process", pid=pid, command=command[:300])
    note_rows(ledger, journal)
    for server in SERVERS:
        journal.note("effects", server=server, lines=product.written(server))
    examined = product.run("tests.chaos.payloads", {})
    received = [_received(request) for request in product.stub.completions]
    journal.note("payloads", received=received, **examined)


def _is_settled(ledger: Ledger) -> bool:
    marks = ",".join("?" * len(FINAL))
    ((open_turns,),) = ledger.rows(
        f"SELECT COUNT(*) FROM chat_turn WHERE status NOT IN ({marks})", *FINAL
    )
    ((open_traces,),) = ledger.rows(
        "SELECT COUNT(*) FROM tracing_trace WHERE status = ?", "running"
    )
    return not open_turns and not open_traces


def _received(request: LoggedRequest) -> dict[str, object]:
    return {
        "number": request.number,
        "at": request.received_us / 1e6,
        "sha256": sha256(request.body).hexdigest(),
        "model": json.loads(request.body).get("model", ""),
    }
