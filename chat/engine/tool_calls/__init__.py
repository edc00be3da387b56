"""One tool call, from its proposal to what the model is told.

proposals       a span for each call that a generation asked for
policies        what it needs before it may run: nothing, consent, or never
execute         claiming and running it in the `tools` worker; its result
executing       the calls of this process, and how to interrupt them
questions       what a server asks a person in the middle of a call
progress        how far a call is, told to the page
result_content  images of a result, and its whole text
results         the messages that tell the model what came back
endings         what is told of a call without a result of its own
"""
