"""Django's backend for PostgreSQL with a quicker parser of timestamps (`base`)."""
