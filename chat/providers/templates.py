"""Whether a pasted chat template can be rendered."""


def problem(template: str) -> str:
    """Why it cannot, as a sentence; empty if it can."""
    return ""
