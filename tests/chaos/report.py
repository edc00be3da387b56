"""The result of a run, as text."""

from collections.abc import Iterator

from tests.chaos.invariants import Check, Violation, check_all
from tests.chaos.journal import Lines
from tests.chaos.recovery import SPECIFIED, by_fault, held_up, nobody_waits_long

# Of one invariant; the ledger has them all.
MAX_SHOWN = 8
NEAR = 20.0


def checks(lines: Lines) -> list[Check]:
    return [*check_all(lines), nobody_waits_long(lines)]


def render(lines: Lines) -> str:
    """The report of a ledger."""
    return "\n".join(_report(lines)) + "\n"


def _report(lines: Lines) -> Iterator[str]:
    plan = lines.plan()
    faults = [fault for fault in lines["fault"] if not fault["error"]]
    turns = len(lines["turn"])
    yield f"Chaos, seed {plan['seed']}, on {plan['database']}: {turns} turns, {len(faults)} faults"
    yield ""
    results = checks(lines)
    for check in results:
        verdict = f"{len(check.violations)} VIOLATIONS" if check.violations else "holds"
        yield f"  {check.name:66} {check.count:7,}  {verdict}"
    yield ""
    yield f"  {'held up after':20} {'faults':>7} {'turns':>6} {'p50 s':>7} {'max s':>7}"
    for one in by_fault(lines):
        row = f"{one.count:7} {len(one.held):6} {one.middle:7.1f} {one.longest:7.1f}"
        yield f"  {one.fault:20} {row}"
    late = [one for one in held_up(lines) if one.seconds > SPECIFIED]
    yield f"  silent for more than {SPECIFIED:g} s after the last fault: {len(late)}"
    anew = sum(client["reopened"] for client in lines["client"])
    yield f"  tabs that asked for everything anew, because something did not fit: {anew}"
    for fault in lines["fault"]:
        if fault["error"]:
            yield f"  {fault['name']} could not be done: {fault['error']}"
    for check in results:
        if check.violations:
            yield f"\n{check.name}: {len(check.violations)} violations"
            yield from (_violation(one, lines) for one in check.violations[:MAX_SHOWN])


def _violation(one: Violation, lines: Lines) -> str:
    where = [f"turn {one.turn}" if one.turn else "", f"trace {one.trace}" if one.trace else ""]
    if one.at is not None:
        began = lines.plan()["at"]
        near = [
            f"{fault['name']} at {fault['began'] - began:.1f}"
            for fault in lines["fault"]
            if abs(fault["began"] - one.at) < NEAR and fault["began"] <= one.at
        ]
        where.append(f"at {one.at - began:.1f} s, after {', '.join(near) or 'no fault'}")
    return f"  {one.what}\n    {'; '.join(filter(None, where))}"
