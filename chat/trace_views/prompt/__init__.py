"""A recorded request as the one text that a model finally reads.

Servers write it with the chat template that came with the model: that of Qwen2.5, unless an admin
has pasted the model's own. It is worked out anew at each look and never stored, because it is not
evidence: the server's text was never ours to see.
"""
