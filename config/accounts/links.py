from django.contrib.auth.models import User
from django.urls import reverse

from config.accounts.models import SignInLink


def path_for(user: User) -> str:
    """Path and query of a new one-time sign-in link."""
    return f"{reverse('account_link')}?key={SignInLink.objects.make(user)}"
