"""What the recording gateway adds to a model call: the same calls directly and through it in turns.

- `client`: concurrent streaming calls over kept connections, cheap beside what is measured
- `seeding`: a token for the load's first user
"""
