"""The recording gateway: a program that calls its provider through it has exact traces.

    caller ⇄ application ─► exchange ⇄ upstream ⇄ provider
                               └► call ─► recorder (a thread) ─► writing ─► rows

| Module | What it has |
|---|---|
| `application` | the ASGI application before Django: address, token, provider, limits |
| `exchange` | one call: both bodies as they come, and who cut it |
| `upstream` | the pooled connections to providers |
| `paths`, `headers` | which addresses and headers may be passed on |
| `access`, `operations` | who may ask what of a provider: the judgement, and its table |
| `bodies`, `model_choice` | strict reading of a body, and the models that it asks for |
| `held_bodies` | the bytes of bodies that are judged |
| `secret_filter` | keeps the provider's key out of answers |
| `callers` | token to person to providers, kept for seconds |
| `refusals` | errors in the form of the provider |
| `call`, `budget` | the record of a call in memory, and the bytes of all of them |
| `recorder` | the queue and the thread that writes |
| `reading`, `writing` | from bytes to messages, from calls to rows |
| `models` | sessions, and the loops within them |
"""
