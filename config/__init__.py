"""Settings, processes and the middleware in front of the apps.

bootstrap, model_file   the virtual environment; the file of a local model (standard library only)
home, environment       `ROUNDTRIP_HOME` with its keys; JSON values in environment variables
settings                Django's settings, with `databases`, `origins` and `versions`
celery, queues          the Celery application and its configuration
prepare                 migrations and first data, before the services start
earlier_databases       which databases of before the migrations were squashed are refused
web, work, worker       the web process; a worker process, and what it sets up
local_model             the process that serves a local model
redis_binary            which `redis-server` is run
readiness               how a process reports to the supervisor that it is ready
supervisor/             starts and restarts all of these processes
asgi, urls, health      the ASGI application, its addresses, `GET /health`
compression, static_files, fair_requests, body_limit, same_origin, senders
                        ASGI middleware in front of Django, and who sends a request
logs                    what the log leaves out
private_pages           Django middleware: `Cache-Control` of pages
module_graph            the modules that the script of a page imports, for `{% module_script %}`
joined_styles           the stylesheets of a page as one file, for `{% stylesheets %}`
accounts/               sign-in, users' names, the sign-in log
management/             `manage.py sign_in_link`, `remove_second_factor`, `oidc_links`

This file imports nothing: `bootstrap` runs before anything is installed. Django loads the Celery
application with `config.apps`.
"""
