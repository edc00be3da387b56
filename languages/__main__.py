"""`python -m languages`: updates the catalogues from the sources, and lists what they lack.

`--check` changes nothing and fails if something is to be done.
"""

import sys

from languages.catalogue import problems, update


def main(is_check: bool) -> int:
    entries = update.catalogues()
    lines = [line for catalogue in entries.values() for line in problems.in_catalogue(catalogue)]
    lines += [f"{words} has no mark" for words in problems.in_sources()]
    if not is_check:
        update.write(entries)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.write(f"{sum(map(len, entries.values()))} texts, {len(lines)} problems.\n")
    return 1 if is_check and lines else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
