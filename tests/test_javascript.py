"""The check of scripts finds what is wrong with one."""

from pathlib import Path

import pytest

from tests.javascript import check

GOOD = "// A note.\nexport const one = `a\nb`; // about it\n"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("const = 1;", "SyntaxError"),
        ('import "./none.js";', 'import "./none.js" leads nowhere'),
        ('import { two } from "./good.js";', "does not provide an export named 'two'"),
        ('export const load = () => import("./none.js");', 'import("./none.js") leads nowhere'),
        ("export const text = `a\n// b\n`;", "line 2: within a literal"),
    ],
)
def test_a_problem_is_named_with_its_file(tmp_path: Path, source: str, problem: str) -> None:
    (tmp_path / "good.js").write_text(GOOD)
    (tmp_path / "bad.js").write_text(source)
    [line] = check(tmp_path)
    assert line.startswith("bad.js: ")
    assert problem in line


def test_good_modules_have_none(tmp_path: Path) -> None:
    (tmp_path / "good.js").write_text(GOOD)
    user = (
        'import { one } from "./good.js";\nexport const load = () => [one, import("./good.js")];\n'
    )
    (tmp_path / "user.js").write_text(user)
    assert check(tmp_path) == []
