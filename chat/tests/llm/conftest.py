from hypothesis import settings

# How long an example takes says more about what else the machine does.
settings.register_profile("roundtrip", deadline=None)
settings.load_profile("roundtrip")
