"""`python -m limits`: updates the section "Limits" of docs/operations.md."""

from limits import page

if __name__ == "__main__":
    page.FILE.write_text(page.updated(page.FILE.read_text()))
