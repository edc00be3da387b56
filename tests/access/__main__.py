"""`python -m tests.access`: how many routes, frames and operations are asked by how many roles."""

import os

import django


def lines() -> list[str]:
    """The counts, and the routes of pages."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from chat.live.consumer import ChatConsumer
    from tests.access.admin_routes import admin_rules
    from tests.access.api_strangers import STRANGERS, operations
    from tests.access.routes import RULES, own_routes
    from tests.access.rows import ROLES

    pages, rules = own_routes(), sum(map(len, RULES.values()))
    admins, frames, calls = admin_rules(), ChatConsumer.handlers, operations()
    callers = len(STRANGERS) + 3  # a narrow token, one of another person, and the owner's
    table = [
        ("routes of pages", len(pages), len(ROLES)),
        ("pages of the admin", len(admins), len(ROLES)),
        ("frames of the websocket", len(frames), len(ROLES)),
        ("operations of the API", len(calls), callers),
    ]
    total = sum(count * roles for _, count, roles in table)
    return [
        *(
            f"{what:<25}{count:>5} × {roles:>2} = {count * roles:>6}"
            for what, count, roles in table
        ),
        f"{'together':<25}{total:>18}",
        f"rules of pages: {rules}; roles: {', '.join(ROLES)}",
        f"programs without a token that counts: {', '.join(STRANGERS)}",
        *(f"{route.name:<32} /{route.pattern}" for route in pages),
    ]


if __name__ == "__main__":
    print("\n".join(lines()))  # noqa: T201
