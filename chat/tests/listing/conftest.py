"""The owner of conversations, and their browser."""

from chat.tests.views.conftest import conversation, owner, page

__all__ = ["conversation", "owner", "page"]
