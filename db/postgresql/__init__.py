"""Django's backend for PostgreSQL, a little quicker (`base`)."""
