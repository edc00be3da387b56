"""`python -m config.command_line`: the command `roundtrip` of a checkout."""

import sys

from config.command_line import main

sys.exit(main())
