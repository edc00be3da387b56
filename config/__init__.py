"""The project around the apps. Imports nothing: `bootstrap` runs before anything is installed, and
the Celery application comes with `config.apps`."""
