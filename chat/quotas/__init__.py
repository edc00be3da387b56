"""Limits of what people use: refused before it is used, with a sentence.

- `kinds`: what each kind of limit counts, its unit, and how figures of it look
- `rules`: which rule counts for a person
- `changes`: making, changing and removing rules
- `consumption`: what a person has used, as the database knows it
- `figures`: what is used beside what is allowed: the decision, as a pure function
- `windows`: the same in Redis, by one script, for all processes (`lua`)
- `counters`: tool calls of a minute and uploads of a day, in Redis
- `admission`: what commands and the engine ask
- `standing`: what a person has used of each limit, for pages
- `nearness`: telling webhooks that most of a limit is used
- `refusals`: how many were refused, by kind
- `errors`: the refusal
"""
