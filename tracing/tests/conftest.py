from hypothesis import settings

# A property has no time of its own to keep: the machine may be busy.
settings.register_profile("roundtrip", deadline=None)
settings.load_profile("roundtrip")
