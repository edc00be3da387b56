"""`manage.py remove_second_factor USERNAME`: for who lost theirs, and has no admin to ask."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.accounts.mfa.factors import remove_all


class Command(BaseCommand):
    help = "Removes authenticator app, passkeys and recovery codes of a user. Audited."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError("There is no such user.")
        if not remove_all(None, user):
            raise CommandError("This user has no second factor.")
        self.stdout.write("Removed. The next sign-in needs no second factor.")
