"""The lists of long files name files that are there."""

from tests.spread import ALONE, FIRST, place_of, unit_of


def test_files_that_are_named_are_there(root):
    assert all((root / file).is_file() for file in (*FIRST, *ALONE))
    assert len(set(FIRST)) == len(FIRST)


def test_a_lessons_proofs_stay_together_and_files_do():
    test = "tests/test_proofs.py::test_{}[ddp{}]"
    assert unit_of(test.format("the_exercise", "/no-sync")) == unit_of(test.format("budget", ""))
    assert unit_of("tests/a.py::test_one") == unit_of("tests/a.py::test_two[ddp]") == "tests/a.py"


def test_long_files_come_first():
    assert place_of(f"{FIRST[0]}::test_x") < place_of(f"{FIRST[1]}::test_x")
    assert place_of(f"{FIRST[-1]}::test_x") < place_of("tests/test_cli.py::test_x")
