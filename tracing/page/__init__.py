"""The trace page and its parts.

- `views`: the pages of one trace
- `trace_page`: head, ledger and tree of the turn
- `round_page`: the chosen round with its stages and calls
- `view_options`: options in the query string
- `generation_facts`: facts about a generation or a call
- `compactions`: a compaction in words and figures
- `baselines`: which earlier model call a round is compared with
- `links`: addresses of spans and of places in payloads
- `versions`: whether a trace has changed
- `conversation`, `conversation_views`: the turns of one conversation
- `stages/`: the stage ladder
- `timeline/`: tree, waterfall, time ledger and player
- `budget/`: context budget and prompt cache
- `calls/`: tool calls
- `payload/`: the reader of long payloads
"""
