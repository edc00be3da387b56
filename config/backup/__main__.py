"""`python -m config.backup backup FILE`, `python -m config.backup restore FILE`."""

import sys

from config.backup.command import main

if __name__ == "__main__":
    sys.exit(main())
