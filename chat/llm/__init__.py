"""Speaking with models: canonical messages, the dialects of providers, their event streams."""
