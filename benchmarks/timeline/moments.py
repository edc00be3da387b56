"""The moments on the way of a first token, in the order of their causes."""

from dataclasses import dataclass

ENTRY, EXIT = ">", "<"


@dataclass(frozen=True)
class Moment:
    """A moment in a process. `edges` tell it: the first one of them after the moment `after` (a
    label; else after the send) counts. Versions differ in their functions; what a version lacks is
    left out."""

    process: str
    label: str
    edges: tuple[tuple[str, str], ...]
    after: str | None = None


SENT, MODEL, RECEIVED = "the frame is sent", "the model sends it", "the frame is received"
_PUBLISHED = "the text goes to Redis"
_READ = "the announcement is read"

MOMENTS = (
    Moment("web", "the frame is read", ((ENTRY, "chat.live.consumer:ChatConsumer.receive"),)),
    Moment("web", "rights are checked", ((EXIT, "chat.live.rights:valid"),)),
    Moment("web", "message and turn are written", ((EXIT, "chat.commands.send:_store"),)),
    Moment("web", "… and committed", ((EXIT, "chat.commands.send:send_message"),)),
    Moment("web", "announcing begins", ((ENTRY, "chat.commands.send:_announce"),)),
    Moment("web", "the event `turn` is written", ((EXIT, "chat.events.publishing:emit"),)),
    Moment(
        "web",
        "the worker is rung",
        ((EXIT, "chat.events.publishing:emit_and_ring"), (EXIT, "chat.doorbell:ring_turn")),
    ),
    Moment("turns", "a thread has the ring", ((ENTRY, "chat.engine.turn.advance:advance"),)),
    Moment(
        "turns",
        "the turn is claimed",
        ((EXIT, "chat.engine.turn.claims:claim"), (EXIT, "chat.engine.turn.claims:take")),
    ),
    Moment("turns", "the journal is read", ((EXIT, "chat.engine.turn.journal:read"),)),
    Moment("turns", "tools are chosen", ((EXIT, "chat.engine.generation.attempts:_tool_choice"),)),
    Moment(
        "turns", "the spans are stored", ((EXIT, "chat.engine.generation.attempts:open_round"),)
    ),
    Moment("turns", "the step is done", ((ENTRY, "chat.engine.generation.running:run_attempt"),)),
    Moment("turns", "the call begins", ((ENTRY, "chat.engine.generation.exchange:Exchange.run"),)),
    Moment(
        "turns",
        "the request goes to the HTTP client",
        ((ENTRY, "chat.llm.recording:RecordingTransport.handle_async_request"),),
    ),
    Moment("model", MODEL, ()),
    Moment(
        "turns",
        "the response's head is read",
        ((EXIT, "chat.llm.recording:RecordingTransport.handle_async_request"),),
    ),
    Moment("turns", "its first bytes are recorded", ((ENTRY, "chat.llm.recording:Recording.add"),)),
    Moment("turns", "text is parsed", ((ENTRY, "chat.events.running_text:Flusher.push"),)),
    Moment(
        "turns",
        _PUBLISHED,
        ((ENTRY, "chat.events.scripts:AsyncScripts.append"),),
        after="text is parsed",
    ),
    Moment(
        "web",
        _READ,
        ((ENTRY, "chat.live.feed:Hub._announced"), (ENTRY, "chat.live.feed:Feed.announced")),
        after=_PUBLISHED,
    ),
    Moment(
        "web",
        "the frame is written",
        (
            (ENTRY, "chat.live.consumer:ChatConsumer._send_frames"),
            (ENTRY, "chat.live.writing:SocketWriter.write"),
        ),
        after=_READ,
    ),
)


def functions() -> list[str]:
    """All functions that tell a moment."""
    return sorted({function for moment in MOMENTS for _, function in moment.edges})
