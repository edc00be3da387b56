"""The playground: editing a model call, running it again, and comparing the outputs.

The call is a draft: one JSON object, stored as the text that a person types.

    {"model": <id of an offered model>, "dialect": "" or the name of one, "messages": […],
     "tools": […], "parameters": {…}, "tool_choice"?: …}

`drafts` makes and parses it; `runs` starts a run, `running` makes the call in a `turns` worker, as
a trace of its own; `run_text` has its text while it arrives; `outputs` and `differences` compare
the outputs of two calls. Tools are never executed: the model's calls are shown. `views`, `urls`:
pages.
"""
