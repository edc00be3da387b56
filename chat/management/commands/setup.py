"""`manage.py setup`: everything that a fresh deployment begins with."""

from typing import Any

from django.core.management.base import BaseCommand

from chat.setup import prepare
from tools.mcp import listing
from tools.models import Server


class Command(BaseCommand):
    help = "Makes the owner, the walkthrough and the model of OPENAI_*. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        prepare()
        for server in Server.objects.filter(enabled=True, tools_listed=None):
            listing.refresh(server)
        self.stdout.write("Ready.")
