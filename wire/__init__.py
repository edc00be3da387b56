"""Parsers of the protocols of model providers: the engine feeds them bytes as they arrive, the
trace page recorded bodies. Imports nothing of the product but `limits`.

    bytes ─ sse ─► events ─ chat_completions, anthropic_messages ─► chunks ─┬► the dialect's parser
            └──────────────── response ────────────────────┘               └► response_parts

| Module | What it has |
|---|---|
| `sse` | server-sent events, from bytes in chunks of any size |
| `response` | a body up to its declared end or its first problem: a stream, or one JSON document |
| `chunks` | the types of what is read: a chunk, a problem, an error of the provider |
| `chat_completions` | events of OpenAI's chat completions, and the texts of their deltas |
| `anthropic_messages` | events of Anthropic's Messages API, finish reasons and usage |
| `repeated_events` | events that differ from an earlier one in one text, without parsing them |
| `tool_calls` | merges the deltas of streamed tool calls |
| `call_members` | which member of a call holds its arguments |
| `content_blocks` | joins the deltas of content blocks (Messages API) |
| `response_parts` | texts, calls and blocks of a response, by their paths |
| `recorded` | the parts of a recorded body, and which event added what |
| `json_scanner` | finds the end of a JSON object that is read in chunks |
| `json_values` | reading JSON values of unknown shape |
| `surrogates` | surrogate pairs that are split between two events |
"""
