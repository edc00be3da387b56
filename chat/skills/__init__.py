"""The pages of skills: what there is, what an admin adds and switches, what a conversation chooses.

What a skill is, and where it is found, is said in `chat.agent`.
"""
