"""What the page of an answer asks the server for, beside the answer.

previews        the empty page in which a preview of code runs, and what holds it in
remote_images   fetches an image of another host
image_views     shows one to who agreed to it
figures         tokens, speed, cost and sources of an answer and of a conversation
"""
