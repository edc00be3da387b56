"""An owner with conversations, and the search of what is indexed."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from chat.models import Conversation
from chat.search.indexing import index_noted
from chat.search.results import Results, search
from chat.tests.builders import a_user


@pytest.fixture
def owner(db: None) -> User:
    return a_user()


@pytest.fixture
def found(owner: User) -> Callable[..., list[str]]:
    """The titles of the conversations that a search finds, after all is indexed."""

    def titles(query: str, page: int = 0, user: User = owner) -> list[str]:
        return [str(one.conversation) for one in results(user, query, page).rows]

    return titles


def results(user: User, query: str, page: int = 0) -> Results:
    index_noted()
    conversations = Conversation.objects.listed_for(user)
    return search(query, user.pk, conversations, page, filtered=False)
