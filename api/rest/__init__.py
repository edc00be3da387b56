"""`/api`: the resources of Roundtrip for programs, described at `/api/openapi.json`.

| Module | What it has |
|---|---|
| `entry` | the view of `/api/…`: authentication, idempotency keys, ETags, problems |
| `operations` | all operations: the `NinjaAPI`; loaded with the first request |
| `resource` | `Resource`: a router whose operations name their scope |
| `pagination` | lists by cursor |
| `idempotency` | POSTs that may be sent again |
| `conditions` | ETags: If-None-Match, If-Match |
| `shapes` | schemas that several resources share |
| `conversations` … | a module a resource, with its schemas |
"""
