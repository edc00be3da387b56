"""What other programs talk to.

| Package | What it is |
|---|---|
"""
