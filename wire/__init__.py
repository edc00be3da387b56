"""The protocols of model providers, read once: for the engine as bytes arrive, for the trace page
from what was recorded. Imports nothing of ours but `limits`.

    bytes ─ sse ─► events ─ chat_completions, anthropic_messages ─► chunks ─┬► the dialect's parser
            └──────────────── response ────────────────────┘               └► response_parts

| Module | What it has |
|---|---|
| `sse` | server-sent events, however their bytes are cut |
| `response` | a body up to its declared end or its first problem: a stream, or one document |
| `chunks` | what one event says, and what cannot be read, as values |
| `chat_completions` | OpenAI's events, and the texts of their deltas |
| `anthropic_messages` | the Messages API's events, finish reasons and usage |
| `tool_calls` | merges the pieces of streamed calls |
| `call_members` | under which member of a call its arguments are |
| `content_blocks` | joins the blocks of a message |
| `response_parts` | texts, calls and blocks of an answer by their paths |
| `recorded` | what a recorded body says, and which event said it |
| `json_scanner` | finds the end of a JSON object that arrives in pieces |
| `json_values` | JSON values of unknown shapes |
| `surrogates` | characters that were cut in two |
"""
