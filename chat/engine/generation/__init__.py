"""One attempt of a model call.

attempts          opening rounds and attempts: rows before the model is called
model_settings    from a model's row to what a call of it needs
running           running an attempt of a turn
exchange_run      running an exchange: its thread waits, and can interrupt it
exchange          the recorded call itself, on the process's loop
live_text         announcing the text while it arrives
outcome           what came of it: a value without rows
recording         writing the outcome in one transaction
evidence          its payloads
error_offsets     where in a response an error stands
partial_text      what was said before an attempt failed
context_refusals  requests that the provider found too long
"""
