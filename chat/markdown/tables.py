"""Tables, bounded: a row that leaves out cells gets them back empty, so that few characters ask for
many cells (within markdown-it's own bound of 65,536 cells 1.4 KB of text become 660 KB of HTML).
"""

from markdown_it.rules_block import StateBlock, table

from limits.files import MAX_SPARE_CELLS


def bounded_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """The block rule `table` (GFM 4.10); a table with too many cells stays text."""
    if not table(state, first, end, True):
        return False
    if silent:
        return True
    spare: int = state.env.setdefault("spare_cells", MAX_SPARE_CELLS)
    last = _last_line(state, first, end)
    columns = state.src.count("|", state.bMarks[first + 1], state.eMarks[first + 1]) + 1
    surplus = columns * (last - first) - (state.eMarks[last] - state.bMarks[first])
    if surplus > spare:
        return False
    state.env["spare_cells"] = spare - max(0, surplus)
    return table(state, first, end, silent)


def _last_line(state: StateBlock, first: int, end: int) -> int:
    """The last line before a blank one."""
    line = first + 1
    while line + 1 < end and not state.isEmpty(line + 1):
        line += 1
    return line
