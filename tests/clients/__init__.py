"""Other clients of OpenAI's API against the running product: `make clients`.

They are installed into a virtual environment of their own, since they bring many dependencies.
`speaking_litellm` and `speaking_langchain` run in it: each prints what it was answered.
"""
