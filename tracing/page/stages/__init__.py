"""The stage ladder: input, request, response and output of a generation.

- `ladder`: reads the four columns
- `contents`: what a column shows, one class for each content, with its template
- `stage_text`: a payload as text, JSON or a hexdump
- `column_widths`: how the columns share the width
- `request`, `request_lists`: messages, tools and parameters given to the model
- `messages`: one message
- `message_changes`: messages that changed since the baseline
- `response`: parts of the response and the message made of them
- `output_origins`: which part of the response became what
- `response_events`: stream events by arrival
- `side_by_side`: input beside request
- `dialect_text`: text that the dialect added
- `product_text`: text that Roundtrip added
"""
