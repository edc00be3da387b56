import importlib.util

from benchmarks.performance import commands


def test_a_commit_is_compared_with_this_tree_or_with_another_commit() -> None:
    with_tree = commands("aa", None, 2, quick=False, flames_before=True)
    assert with_tree[0] == ["compare", "aa", "--rounds", "2"]
    assert with_tree[-1] == ["flames", "after"]
    with_commit = commands("aa", "bb", 4, quick=True, flames_before=False)
    assert with_commit[0] == ["compare", "bb", "--base", "aa", "--rounds", "4", "--quick"]
    assert with_commit[1] == ["timeline", "aa", "--after", "bb"]
    assert with_commit[-1] == ["flames", "after", "--base", "bb"]
    assert ["flames", "before", "--base", "aa"] not in with_commit


def test_every_command_is_a_module() -> None:
    for module, *_ in commands("aa", None, 2, quick=False, flames_before=True):
        assert importlib.util.find_spec(f"benchmarks.{module}")
