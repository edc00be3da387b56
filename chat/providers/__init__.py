"""The admin's pages for providers and models: settings, lists from endpoints, tests and probes."""
