"""Additions to Django for busy processes with SQLite or PostgreSQL. Imports nothing of the apps.

| Module | What it has |
|---|---|
| `users` | the user of a request, typed |
| `fields` | model fields that store any text and any JSON value |
| `prepared` | query methods whose SQL is compiled once |
| `sqlite_files` | erasing what deleted rows leave in the files of SQLite |
| `threads` | the thread pool for database work |
| `redis_pool` | the connections of this process's threads to Redis |
| `addresses` | cached addresses of pages |
| `arguments` | any number of values for a prepared statement |
| `admin` | base class of admin pages for rows that only the program creates |
| `public_ids` | parsing UUIDs from addresses, forms and frames |
| `tuples` | a condition on several columns at once |
| `unindexed` | a condition for which SQLite uses no index |
| `literals` | constants in a statement, for which SQLite finds an index with a condition |
| `postgresql` | Django's backend for PostgreSQL with a quicker parser of timestamps |
"""
