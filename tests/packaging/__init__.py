"""What is installed, and from which files.

requirements   `requirements*.txt` from pyproject.toml: locked, with hashes; do they agree?
wheel          builds wheel and sdist
fresh          the wheel and `make run` into empty environments, from the registry
"""
