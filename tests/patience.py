"""How long a test waits for what has to come: longer than a machine under load takes. Only a test
that fails waits so long."""

SECONDS = 30.0
MS = 1000 * SECONDS
