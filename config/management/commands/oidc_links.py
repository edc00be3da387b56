"""`manage.py oidc_links [--undo ID]`: accounts that were linked by an address, for admins."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.accounts.oidc import links


class Command(BaseCommand):
    help = (
        "Lists accounts here that an e-mail address linked with one at the sign-in provider. "
        "--undo ends a link, with the sessions, API tokens and programs of its person. Audited."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--undo", type=int, metavar="ID", help="the link's id in the list")

    def handle(self, *args: Any, undo: int | None = None, **options: Any) -> None:
        if undo is None:
            self._list()
        else:
            self._undo(undo)

    def _list(self) -> None:
        for link in links.address_links():
            self.stdout.write(_line(link))
        self.stdout.write("End a link that should not be: manage.py oidc_links --undo ID")

    def _undo(self, link_id: int) -> None:
        user = links.undo(None, link_id)
        if user is None:
            raise CommandError("There is no such link. See the list: manage.py oidc_links")
        self.stdout.write(
            f"{user.get_username()} is no longer linked. Sessions, API tokens and connected "
            "programs have ended. If somebody else was in, their ways to sign in may still be "
            f"there: set another password, and manage.py remove_second_factor {user.get_username()}"
        )
        if not user.has_usable_password():
            self.stdout.write(
                "This account has no password. A link to sign in: "
                f"manage.py sign_in_link {user.get_username()}"
            )


def _line(link: links.AddressLink) -> str:
    verified = "verified" if link.is_verified else "NOT VERIFIED by the provider"
    way = "" if link.is_recorded else ", no row of the audit log says how it was linked"
    day = f"{link.since:%Y-%m-%d %H:%M}"
    return f"{link.id}  {day}  {link.user.get_username()}  {link.email or '-'}: {verified}{way}"
