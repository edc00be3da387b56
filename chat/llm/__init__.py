"""Model calls: canonical messages, dialects, and the recorded HTTP exchange.

| Module | What it has | |---|---| | `messages` | canonical messages, tool calls and definitions | |
`parts` | images and files in a content | | `history` | matching tool results with their calls | |
`conversation_json` | a canonical conversation from JSON of unknown origin | | `dialects` | one
module a dialect: canonical messages to the wire, and answers back | | `parameters` | parameters of
a request, by protocol | | `served` | values of a call: what is meant, and the model that serves it
| | `endpoint`, `services` | where a model is served; presets of known services | | `calling` | one
streamed call | | `clients`, `sdk` | HTTP clients; building and sending requests with the SDKs | |
`recording` | the exact bytes of request and response | | `call_timings` | durations of a call | |
`redaction`, `redacted_events` | removing the provider's key from what it sends back | | `errors` |
the hierarchy of failures | | `failures`, `stream_failures` | failures from a status or body, and
from a stream | | `length_refusal`, `quota` | reading the provider's words: request too long, no
credit left | | `chat_template`, `template_process` | Jinja chat templates, and rendering one in a
process of its own | | `json_text` | strict JSON | |
`request_members`, `shared_objects` | strict reading of a request's settings, and those that refer
to objects of the provider's key | | `usage_estimate` | tokens where no usage is reported | |
`transcode` | dialects on JSON text, for `manage.py transcode` |
"""
