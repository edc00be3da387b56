"""The environment of a product under test: this process's, without what configures an instance."""

import os

INSTANCE_VARIABLES = frozenset(
    {
        "DATABASE_URL",
        "DEBUG",
        "DJANGO_SETTINGS_MODULE",
        "HOST",
        "LOCAL_MODEL",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_MODEL",
        "REDIS_URL",
        "ROUNDTRIP_HOME",
        "ROUNDTRIP_LOCAL_MODEL",
        "ROUNDTRIP_URL",
    }
)


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in INSTANCE_VARIABLES}
