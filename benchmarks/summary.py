"""The chief figures with their aims: what the project is measured by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.tables import figure, table


@dataclass(frozen=True)
class Line:
    """Figures that belong together, and an upper bound for each (None: no aim)."""

    label: str
    figures: tuple[str, ...]
    aims: tuple[float | None, ...]

    def values(self, figures: Mapping[str, float]) -> str:
        return " / ".join(figure(figures.get(name)) or "–" for name in self.figures)

    @property
    def aim(self) -> str:
        return " / ".join("–" if aim is None else f"{aim:g}" for aim in self.aims)

    def missed(self, figures: Mapping[str, float]) -> str:
        """Which of them are above their aim; empty if none is."""
        pairs = zip(self.figures, self.aims, strict=True)
        above = [name for name, aim in pairs if aim is not None and figures.get(name, 0.0) > aim]
        return ", ".join(above)


def _burst(figure: str, *streams: int) -> tuple[str, ...]:
    return tuple(f"burst.{count}.{figure}" for count in streams)


OPENING = ("first.paint_ms", "again.paint_ms", "first.script_kb")
LINES = (
    Line("the openai client alone, first token p50, ms", ("first.floor_p50_ms",), (None,)),
    Line(
        "first token of a new / a later turn, p50, ms",
        ("first.new_p50_ms", "first.later_p50_ms"),
        (None, None),
    ),
    Line(
        "the same ÷ the openai client alone",
        ("first.new_to_floor", "first.later_to_floor"),
        (2, 2),
    ),
    *(
        Line(
            f"token latency of {streams} streams that begin within a second, p50 / p95, ms",
            _burst("latency_p50_ms", streams) + _burst("latency_p95_ms", streams),
            aims,
        )
        for streams, aims in ((1, (2, 5)), (50, (3, 10)), (100, (10, 50)), (200, (50, 150)))
    ),
    Line(
        "first token p50 when 50 / 100 / 200 begin within a second, ms",
        _burst("first_p50_ms", 50, 100, 200),
        (100, 300, 1000),
    ),
    Line(
        "CPU of 1,000 tokens, turns of 200 tokens, 10 / 50 / 200 streams, ms",
        _burst("cpu_per_1000_ms", 10, 50, 200),
        (400, 250, 150),
    ),
    Line(
        "CPU of 1,000 tokens, long streams, 50 / 200, ms",
        ("long.50.cpu_per_1000_ms", "long.200.cpu_per_1000_ms"),
        (200, 70),
    ),
    Line("CPU of a turn of 5 tokens, ms", ("turns.5.cpu_a_turn_ms",), (25,)),
    Line("CPU of a round with a tool call, ms", ("rounds.1.cpu_a_round_ms",), (45,)),
    Line("50 long streams, token latency p99, ms", ("steady.50.latency_p99_ms",), (40,)),
    Line(
        "open 1,000 messages, ms; KB on the wire",
        ("page.1000.open_ms", "page.1000.wire_kb"),
        (70, 40),
    ),
    Line(
        "Chromium: first paint of 1,000 messages, cold / again, ms; scripts, KB",
        tuple(f"browser.1440x1.open.{name}" for name in OPENING),
        (None, 300, 80),
    ),
    Line(
        "Chromium: first paint beside a list of 10,000 conversations, again, ms",
        ("browser.1440x1.list.again.paint_ms",),
        (None,),
    ),
    Line(
        "Chromium: longest frame at 200 tokens a second, typing, scrolling, 1440 / 390 px, ms",
        ("browser.1440x1.stream.frame_max_ms", "browser.390x1.stream.frame_max_ms"),
        (50, 50),
    ),
    Line(
        "memory (RSS of all processes): idle / peak / after, MB",
        ("memory.idle_rss_mb", "memory.peak_rss_mb", "memory.after_rss_mb"),
        (None, None, None),
    ),
    Line("memory after ÷ idle", ("memory.after_to_idle",), (1.3,)),
    Line(
        "longest pause of the garbage collector, web / turns / tools, ms",
        tuple(f"garbage.{role}.longest_ms" for role in ("web", "turns", "tools")),
        (None, None, None),
    ),
    Line(
        "growth of the database ÷ bytes of messages and responses, 100 rounds",
        ("recording.100.growth_to_messages_and_responses",),
        (2,),
    ),
    Line(
        "CPU of 1,000 stored spans, at 3 / 100 / 500 rounds, s",
        tuple(f"recording.{rounds}.cpu_s_1000_spans" for rounds in (3, 100, 500)),
        (1, 1, 1),
    ),
)
CHIEF = [name for line in LINES for name in line.figures]


def as_markdown(figures: Mapping[str, float]) -> str:
    """The lines that were measured, with their aims and what misses them."""
    return table(("", "measured", "aim", "above its aim"), _rows(figures))


def _rows(figures: Mapping[str, float]) -> Iterator[Sequence[str]]:
    for line in LINES:
        if any(name in figures for name in line.figures):
            yield line.label, line.values(figures), line.aim, line.missed(figures)
