"""One attempt of a model call.

attempts          opening rounds and attempts: rows before the model is called
model_settings    from a model's row to what a call of it needs
running           running an attempt of a turn
exchange_run      running an exchange: its thread waits, and can interrupt it
exchange          the recorded model call, on the process's loop
live_text         events of the text while it arrives
outcome           the outcome of an attempt: a value without rows
recording         `finish_generation`: the outcome written in one transaction
evidence          its payloads
error_offsets     where in a response an error stands
cut_attempts      attempts whose worker is gone, with the text shown of them
partial_text      the text that an attempt had before it failed
context_refusals  requests that the provider found too long
"""
