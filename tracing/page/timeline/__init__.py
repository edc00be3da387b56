"""When the spans of a trace ran.

- `tree`: the list of rounds with their spans
- `waterfall`: bars on a scale of time
- `time_ledger`: wall time divided by kind
- `overhead`: time between the spans of a round
- `player`: the events that the player replays
"""
