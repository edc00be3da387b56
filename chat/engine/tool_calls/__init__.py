"""One tool call, from its proposal to the tool message that the model reads.

proposals       a span for each call that a generation asked for
policies        what it needs before it may run: nothing, consent, or never
execute         running it in the `tools` worker
call_claims     claiming it, marking it as sent: compare-and-set
call_context    what it is given: tool, workspace, deadline, ways back to the engine
call_outcome    its end: `finish_call` writes the result, `suspend_call` waits for a person
running_calls   the calls of this process, and how to interrupt them
questions       what a server asks a person during a call
progress        events of a call's progress
result_content  images of a result, and its whole text
results         the tool messages of a round
endings         the sentence of a call that has no result of its own
"""
