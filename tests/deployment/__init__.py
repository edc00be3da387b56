"""What ships the product elsewhere: the image, the composition, the unit, the Kubernetes example.

- `files`: where they are, parsed
- `dockerfile`: the instructions of a Dockerfile
- `kubernetes`: `python -m tests.deployment.kubernetes`, by the schemas of the API
- `container`: `python -m tests.deployment.container`, runs them in a clean Debian without Docker
"""
