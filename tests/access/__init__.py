"""Who × every URL and every frame of the socket × their own, another's, an unknown id.

`routes` and `frames` have one rule for each; one without a rule fails `test_routes`, `test_frames`.
`rows` are what the ids mean, with a planted value in every place that is secret.
"""
