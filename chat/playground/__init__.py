"""The playground: a model call in other words, made again, its output beside the one before.

What is to be sent is a draft: one JSON object, kept as text as somebody types it.

    {"model": <id of an offered model>, "dialect": "" or the name of one, "messages": […],
     "tools": […], "parameters": {…}, "tool_choice"?: …}

`drafts` makes and reads it; `runs` asks for a run, `running` makes the call in a `turns` worker,
as a trace of its own; `run_text` has its text while it arrives; `outputs` and `differences` compare
what came of two calls. Tools are never executed here: the model's calls are shown.
"""
