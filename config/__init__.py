"""Settings, processes and the middleware in front of the apps.

bootstrap, model_file   the virtual environment; the file of a local model (standard library only)
command_line/           the command `roundtrip`
release, extras         the version of the product; packages that not everybody installs
home, environment       `ROUNDTRIP_HOME` with its keys; JSON values in environment variables
settings                Django's settings, with `databases`, `origins` and `versions`
celery, queues, redis_consumer
                        the Celery application, its configuration and connection to Redis
keys                    keys and other secrets, from the environment, mounted files or the home
prepare                 migrations and first data, before the services start
database_state          whether a process can use the database: its migrations, its keys
web, work, worker       the web process; a worker process, and what it sets up
local_model             the process that serves a local model
redis_binary            which server of Redis's protocol is run
readiness               how a process reports to the supervisor that it is ready
supervisor/             starts and restarts all of these processes
asgi, urls, health      the ASGI application, its addresses, `GET /health`
compression, static_files, fair_requests, body_limit, same_origin, senders
                        ASGI middleware in front of Django, and who sends a request
probes, worker_probes   `/health/live` and `/health/ready` of the web process and of a worker
logs, json_logs, request_ids
                        lines of text or JSON; the ids of requests, in lines, responses, error pages
private_pages           Django middleware: `Cache-Control` of pages
module_graph            the modules that the script of a page imports, for `{% module_script %}`
joined_styles           the stylesheets of a page as one file, for `{% stylesheets %}`
accounts/               sign-in, users' names, the sign-in log
management/             `manage.py sign_in_link`, `remove_second_factor`

This file imports nothing: `bootstrap` runs before anything is installed. Django loads the Celery
application with `config.apps`.
"""
