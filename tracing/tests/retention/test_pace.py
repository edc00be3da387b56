from tracing.retention.erasing import PAUSE_SHARE, Pace


def test_long_work_pauses_for_longer() -> None:
    pace, runs = Pace(), []
    pace.run(lambda: runs.append(1))
    pace._next += PAUSE_SHARE  # as after a second of work
    pace.run(lambda: runs.append(2))
    assert runs == [1]
