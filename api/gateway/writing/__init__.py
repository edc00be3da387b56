"""From an ended call to rows: a trace a loop, a round a call, four stages.

| Module | What it has |
|---|---|
| `writer` | `write`: everything of a call in one transaction |
| `loops` | which trace a call goes on with; ending those that nobody goes on with |
| `usage` | what a call used, estimated where its provider does not say |
| `evidence` | the payloads of a call, without secrets |
| `tool_spans` | the tool calls between two rounds, from the results that came back |
"""
