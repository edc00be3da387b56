"""Which tools exist, and which of them a user's models are offered.

registry   local tools and servers' tools by name, pattern and user
switches   the local tools with an admin's switch and policy
views      the admins' page of local tools
"""
