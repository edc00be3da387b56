"""The durable turn engine: exactly-once-looking on an at-least-once queue.

    turn        one turn: claims, its journal, the next step, ceilings, the end
    generation  one model call attempt: opened, run on the process's loop, written down
    tool_calls  one tool call: proposed, judged, run in the `tools` worker, its result written
    context     what of a conversation the next request holds, and how room is made
    titles      the one request for a title, after the first answer
    worker      the process: what it runs, its timer, its periodic work

A fact from outside (`chat.commands`) is one transaction, then a ring; `turn.advance` answers every
ring: claim, read the journal, do the one next step, release. Each kind of work has one end:

    finish_turn        turn.endings            answer, final state, the next turn rung
    finish_generation  generation.recording    payloads, message, calls; or `finish_turn`
    finish_summary     context.compacting      payloads, the summary
    finish_call        tool_calls.call_outcome result, what the model is shown, the turn rung

Why the protocol holds:

Two advances at once. A claim is one UPDATE whose WHERE asks for "open, without a live lease, and
rung or with a lease that expired"; the second finds the first's lease and updates no row. The fact
that rang it has moved `wakeups`, and the first releases the turn only by compare-and-set on the
value that it read before the journal, so it reads again.

Stop against completion. Both begin by an UPDATE of the turn's row under "status is open", so one of
them is first. If it is the completion, Stop finds no open row and answers the final state. If it is
Stop, the completion may still commit (the answer was whole), or the owner reads the flag first.

The timer against a slow but living owner. The claim of the next owner raises `epoch`. Every write
of the slow owner begins with an UPDATE under its own epoch, finds no row, and raises `Fenced`; what
it streams after that carries the old epoch and is dropped by readers.

An approval that arrives twice. It is a compare-and-set from `awaiting_approval`; the second finds
no row. The call is then claimed by compare-and-set, so that ringing it twice runs it once.
"""
