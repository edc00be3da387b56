"""Roundtrip under load: a stub model endpoint, a load client, and what they measured."""
