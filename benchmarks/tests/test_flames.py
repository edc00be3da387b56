import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.flames import drawing
from benchmarks.flames.drawing import flame_graph
from benchmarks.flames.sampling import Sampler
from benchmarks.flames.stacks import Frame
from host.processes import parent_death_signal

FOLDED = """main (config/work.py);step (chat/engine/turn/advance.py) 30
main (config/work.py);dumps (json/encoder.py) 9
main (config/work.py);run (celery/app/base.py);<lambda> (a & b.py) 1
"""


def test_a_frame_has_the_samples_of_what_it_calls() -> None:
    tree = Frame.from_folded(FOLDED, "turns")
    main = tree.callees["main (config/work.py)"]
    assert (tree.samples, main.samples) == (40, 40)
    assert main.callees["dumps (json/encoder.py)"].samples == 9


def test_frames_stand_side_by_side_in_the_order_of_their_names() -> None:
    tree = Frame.from_folded(FOLDED, "turns")
    places = {frame.name.split()[0]: (depth, left) for frame, depth, left in tree.walk(1)}
    assert places == {
        "turns": (0, 0),
        "main": (1, 0),
        "dumps": (2, 0),
        "run": (2, 9),
        "<lambda>": (3, 9),
        "step": (2, 10),
    }


def test_a_frame_with_few_samples_is_left_out_and_its_place_stays() -> None:
    places = {frame.name: left for frame, _, left in Frame.from_folded(FOLDED, "turns").walk(5)}
    assert "run (celery/app/base.py)" not in places
    assert places["step (chat/engine/turn/advance.py)"] == 10


def test_the_picture_is_valid_and_says_whose_code_a_frame_is() -> None:
    svg = flame_graph(Frame.from_folded(FOLDED, "turns"), "turns")
    ElementTree.fromstring(svg)
    found = dict(re.findall(r'<title>(\S+) .*?<rect class="(\w+)"', svg))
    assert found["step"] == "own"
    assert found["dumps"] == "standard"
    assert found["run"] == "library"
    assert "a &amp; b.py" in svg


def test_a_picture_that_would_be_too_large_leaves_out_more(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (f"main (config/work.py);function_{number} (chat/x.py) 10" for number in range(900))
    tree = Frame.from_folded("\n".join([*lines, "main (config/work.py) 100"]), "turns")
    whole = flame_graph(tree, "turns")
    monkeypatch.setattr(drawing, "MAX_BYTES", 20_000)
    assert len(flame_graph(tree, "turns")) < 20_000 < len(whole)


def test_a_process_that_computes_is_sampled(tmp_path: Path) -> None:
    code = "def compute():\n    while True: sum(range(1000))\ncompute()"
    with subprocess.Popen(
        [sys.executable, "-c", code], preexec_fn=parent_death_signal()
    ) as process:
        try:
            folded = Sampler(process.pid, 1, tmp_path / "out.txt").folded()
        finally:
            process.kill()
    assert "compute (<string>:1)" in folded
