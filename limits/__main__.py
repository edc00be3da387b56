"""`python -m limits`: writes the section "Limits" of docs/operations.md again."""

from limits import page

if __name__ == "__main__":
    page.FILE.write_text(page.written(page.FILE.read_text()))
