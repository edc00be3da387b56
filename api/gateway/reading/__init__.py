"""What the recorded bytes of a call say: messages, tools, usage, tool calls. Pure functions.

| Module | What it has |
|---|---|
| `given` | `Given`: a request as canonical messages, and what it goes on with |
| `chat`, `anthropic`, `responses` | from the bodies of the three protocols to canonical messages |
| `answered` | `Answered`: a response as a canonical message, with usage and problems |
"""
