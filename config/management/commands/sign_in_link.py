"""`manage.py sign_in_link [USERNAME]`: a one-time link for a user without a known password."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.accounts.links import path_for


class Command(BaseCommand):
    help = "Prints a link that signs a user in: once, within 15 minutes. Default: the owner."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?")

    def handle(self, *args: Any, username: str | None = None, **options: Any) -> None:
        wanted_user = {"username": username} if username else {"is_superuser": True}
        user = User.objects.filter(is_active=True, **wanted_user).order_by("pk").first()
        if user is None:
            raise CommandError("There is no such active user.")
        self.stdout.write(f"{settings.ROUNDTRIP_URL or settings.INTERNAL_URL}{path_for(user)}")
