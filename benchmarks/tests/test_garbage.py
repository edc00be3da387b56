import os
import subprocess
import sys
from pathlib import Path

from benchmarks import garbage
from benchmarks.garbage import Pause, read_pauses
from benchmarks.site import OBSERVED

COLLECTING = "import gc; kept = [[] for _ in range(300_000)]; gc.collect(); print('done')"


def test_a_process_that_is_observed_writes_its_pauses(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(OBSERVED), garbage.VARIABLE: str(tmp_path)}
    subprocess.run([sys.executable, "-c", COLLECTING], env=environment, check=True)
    ((process, pauses),) = read_pauses(tmp_path).items()
    assert process.startswith("python")
    assert {pause.generation for pause in pauses} <= {0, 1, 2}
    assert max(pause.milliseconds for pause in pauses) >= 1


def test_a_forked_process_writes_a_file_of_its_own(tmp_path: Path) -> None:
    forking = f"import os; {COLLECTING}; os.fork() or gc.collect(); os.waitpid(-1, 0)"
    environment = {**os.environ, "PYTHONPATH": str(OBSERVED), garbage.VARIABLE: str(tmp_path)}
    subprocess.run([sys.executable, "-c", forking], env=environment, check=False)
    assert len(list(tmp_path.iterdir())) == 2


def test_figures_count_the_pauses_since_a_moment(tmp_path: Path) -> None:
    file = tmp_path / "garbage-7.txt"
    file.write_text("python -m config.work turns 200\n1000 9000 2\n2000 1500 0\n3000 4000 1\n")
    assert read_pauses(tmp_path)["turns"][0] == Pause(1000, 9.0, 2)
    assert garbage.figures(tmp_path, ["turns", "web"], 2000) == {
        "garbage.turns.pauses": 2,
        "garbage.turns.longest_ms": 4.0,
        "garbage.turns.all_ms": 5.5,
        "garbage.web.pauses": 0,
        "garbage.web.longest_ms": 0.0,
        "garbage.web.all_ms": 0,
    }
