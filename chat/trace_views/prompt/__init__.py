"""A recorded request as the prompt text that a model finally reads.

Servers render it with the model's chat template; here it is that of Qwen2.5, unless an admin has
set another one. It is rendered at each view and never stored: it is no evidence, since the server's
text is not visible.

`source` has the messages and tools, `marking` what is new since the previous round, `views` and
`urls` the pages.
"""
