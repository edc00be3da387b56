"""A table of cases that fail, each in its own way, and of two that do not."""

import subprocess
import sys
import time
from typing import NoReturn

from chat.errors import Rejected
from tests.budgets.cases import Case

HERE = "tests.budgets.broken:"
BURN = "import time\nwhile time.process_time() < 0.4: pass"


def burn(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def burn_in_child() -> None:
    subprocess.run([sys.executable, "-S", "-c", BURN], check=True)


def recurse() -> None:
    recurse()


def take(megabytes: int) -> None:
    b"x" * (megabytes * 1_000_000)


def reject() -> NoReturn:
    raise Rejected("No.")


CASES = [
    Case("broken", "slow", f"{HERE}burn", lambda: (0.2,), cpu_s=0.1),
    Case("broken", "endless", f"{HERE}burn", lambda: (60.0,), cpu_s=0.1),
    Case("broken", "slow child", f"{HERE}burn_in_child", lambda: (), cpu_s=0.2),
    Case("broken", "recursion", f"{HERE}recurse", lambda: ()),
    Case("broken", "memory", f"{HERE}take", lambda: (50,), memory_mb=20),
    Case("broken", "exit", "os:_exit", lambda: (1,)),
    Case("broken", "refused", f"{HERE}reject", lambda: ()),
    Case("broken", "quick", "os:getpid", lambda: ()),
]
NAMES = [case.name for case in CASES]
