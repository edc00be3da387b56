"""Typical text, as dictionaries of the compression: what a short blob shares with it is not stored.

**Stored bytes need these texts: never change one.** A better one gets a new name, and a new kind in
`tracing.store.compression`. The most frequent text is last, where zstd refers to it with the
shortest offsets.
"""

from pathlib import Path

FIRST = (
    b'{"error":{"message":"","type":"invalid_request_error","param":null,"code":null}}'
    b'"required":["query"],"additionalProperties":false}}},{"type":"function","function":{'
    b'"name":"","description":"","parameters":{"type":"object","properties":{"":{"type":"string",'
    b'"description":"","enum":["integer","number","boolean","array","items"]}},"required":["'
    b'"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":1,"prompt_tokens_details":'
    b'{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}\n\n'
    b'{"content":[{"type":"text","text":""}],"structuredContent":{},"isError":false}'
    b'{"message":{"role":"assistant","content":null},"errors":[],"origins":[]}'
    b'"model":"","stream":true,"stream_options":{"include_usage":true},"temperature":0,"tools":['
    b"data: [DONE]\n\n"
    b'data: {"id":"chatcmpl-","object":"chat.completion.chunk","created":1,"model":"","choices":['
    b'{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}\n\n'
    b'"finish_reason":"stop"}],"usage":null}\n\n'
    b'"delta":{"role":"assistant","content":"","reasoning_content":""},"finish_reason":null}]}\n\n'
    b'"delta":{"tool_calls":[{"index":0,"id":"call_","type":"function","function":{"name":"",'
    b'"arguments":""}}]}'
    b'data: {"id":"chatcmpl-","object":"chat.completion.chunk","created":1,"model":"","choices":['
    b'{"index":0,"delta":{"content":" "},"finish_reason":null}]}\n\n'
    b'{"role":"system","content":"You are a helpful assistant.'
    b'<tool_response>\\n\\n</tool_response>"}'
    b'{"role":"user","content":"<tool_call>\\n{\\"name\\": \\"'
    b'\\", \\"arguments\\": {}}\\n</tool_call>"}'
    b'{"role":"user","content":[{"type":"text","text":"'
    b'{"role":"tool","tool_call_id":"call_","content":"'
    b'{"role":"assistant","content":null,"tool_calls":[{"id":"call_","type":"function","function":'
    b'{"name":"","arguments":"{\\"query\\": \\"\\"}"}}]}'
    b'{"role":"user","content":""}{"role":"assistant","content":"'
)
SECOND = (Path(__file__).parent / "typical_2.txt").read_bytes()
