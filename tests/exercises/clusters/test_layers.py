"""Simulated builds, held against what Docker's documentation says of its cache."""

from __future__ import annotations

import pytest

from gpuedu.exercises.clusters.context import File, kept, selected
from gpuedu.exercises.clusters.dockerfile import read_dockerfile
from gpuedu.exercises.clusters.layers import Builder, Work

FILES = {"a.txt": File(1, "1"), "src/b.py": File(2, "1"), "src/c.py": File(3, "1")}


def work(one, given, files, made_mb):
    """Each RUN downloads what its words name, and makes a layer of 10 MB."""
    if one.name == "RUN":
        return Work(10, dict.fromkeys(one.value.split(), 10), one.flag("mount") and "cache")
    return Work(sum(file.size_mb for file in given.values()) + made_mb)


def edited(*paths):
    return {**FILES, **{path: File(1, "2") for path in paths}}


def again(text, files=FILES, arguments=None, second=None, builder=None):
    """The lines that run again in a second build, of the same or of another text."""
    builder = builder or Builder(work)
    builder.build(read_dockerfile(text), FILES)
    build = builder.build(read_dockerfile(second or text, arguments), files)
    return [step.instruction.line for step in build.steps if not step.is_cached]


TEXT = 'FROM a:1\nRUN x\nCOPY a.txt /\nRUN y\nCOPY src/ /src/\nRUN z\nCMD ["q"]'


@pytest.mark.parametrize(
    ("paths", "lines"),
    [((), []), (("a.txt",), [3, 4, 5, 6, 7]), (("src/c.py",), [5, 6, 7]), (("new",), [])],
)
def test_a_copy_is_missed_if_its_files_changed_and_all_after_it(paths, lines):
    assert again(TEXT, edited(*paths)) == lines


def test_a_file_that_is_gone_or_new_in_a_folder_counts():
    assert again(TEXT, {name: FILES[name] for name in ("a.txt", "src/b.py")}) == [5, 6, 7]
    assert again(TEXT, edited("src/new.py")) == [5, 6, 7]


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("RUN y", "RUN y2", [4, 5, 6, 7]),
        ("FROM a:1", "FROM a:2", [1, 2, 3, 4, 5, 6, 7]),
        ("RUN y", "# a comment\nRUN y", []),
        ("RUN y", "RUN   y", []),
        ('CMD ["q"]', 'CMD ["r"]', [7]),
    ],
)
def test_a_step_is_missed_if_its_text_changed(before, after, lines):
    assert again(TEXT, second=TEXT.replace(before, after)) == lines


def test_an_old_state_is_still_known():
    builder = Builder(work)
    assert again(TEXT, edited("a.txt"), builder=builder) == [3, 4, 5, 6, 7]
    assert again(TEXT, FILES, builder=builder) == []


ARGUED = "FROM a:1\nRUN x\nARG V=1\nCOPY a.txt /\nRUN y\nCOPY src/$V /\nRUN z"


def test_an_argument_counts_from_its_first_use_on():
    """RUN uses all arguments that are declared before it, COPY those that it names."""
    assert again(ARGUED, arguments={"V": "2"}) == [5, 6, 7]
    assert again(ARGUED.replace("ARG V=1\n", "").replace("$V", "b.py"), arguments={"V": "2"}) == []


def test_an_environment_that_names_an_argument_changes_with_it():
    text = "FROM a:1\nARG V=1\nENV E=$V\nRUN x"
    assert again(text, arguments={"V": "2"}) == [3, 4]


STAGED = "FROM a:1 AS one\nCOPY a.txt /\nRUN x\nFROM b:1 AS no\nCOPY src/ /\nFROM c:1\nRUN y\nCOPY --from=one /x /x\nRUN z"


def test_stages_miss_by_themselves_and_through_copies():
    assert again(STAGED, edited("a.txt")) == [2, 3, 8, 9]
    assert again(STAGED, edited("src/b.py")) == []


def test_a_stage_that_nobody_needs_is_not_built():
    build = Builder(work).build(read_dockerfile(STAGED), FILES)
    assert {step.stage for step in build.steps} == {0, 2}
    assert build.layers_mb == 10 + (1 + 10) + 10
    assert build.push_mb == build.layers_mb


def test_a_linked_copy_does_not_depend_on_what_is_below():
    text = "FROM a:1\nCOPY a.txt /\nCOPY --link src/ /src/\nRUN z"
    assert again(text, edited("a.txt")) == [2, 4]
    assert again(text.replace("--link", "--link=false"), edited("a.txt")) == [2, 3, 4]


def test_what_is_mounted_counts_if_it_is_bound():
    bound = "FROM a:1\nRUN --mount=type=bind,source=a.txt,target=/a x\nRUN y"
    assert again(bound, edited("a.txt")) == [2, 3]
    assert again(bound.replace("bind,source=a.txt", "secret,id=a.txt"), edited("a.txt")) == []


def test_a_cache_mount_keeps_what_was_fetched():
    first = read_dockerfile("FROM a:1\nRUN --mount=type=cache,target=/c one two")
    second = read_dockerfile("FROM a:1\nRUN --mount=type=cache,target=/c one two three")
    plain = read_dockerfile("FROM a:1\nRUN one two three")
    builder = Builder(work)
    found = [builder.build(one, FILES).download_mb for one in (first, second, plain)]
    assert found == [20, 10, 30]


def test_only_new_layers_are_pushed():
    builder = Builder(work)
    read = read_dockerfile(TEXT)
    found = [builder.build(read, files).push_mb for files in (FILES, FILES, edited("src/b.py"))]
    assert found == [1 + 5 + 30, 0, 1 + 3 + 10]


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ("", "a.txt src/b.py src/c.py"),
        ("src", "a.txt"),
        ("/src/\n", "a.txt"),
        ("*.py", "a.txt src/b.py src/c.py"),
        ("*/*.py", "a.txt"),
        ("**/*.py", "a.txt"),
        ("**/b.*", "a.txt src/c.py"),
        ("src/?.py\n!src/c.py", "a.txt src/c.py"),
        ("!src/c.py\nsrc", "a.txt"),
        ("*\n!src", "src/b.py src/c.py"),
        ("src/[a-b].py", "a.txt src/c.py"),
        ("src/**", "a.txt"),
        (" # no comment\n#src", "a.txt src/b.py src/c.py"),
        ("./src/../a.txt", "src/b.py src/c.py"),
        ("src/[", "a.txt src/b.py src/c.py"),
        (".", "a.txt src/b.py src/c.py"),
        ("*" * 4000, ""),
        ("**/" * 2000 + "c.py", "a.txt src/b.py"),
    ],
)
def test_what_is_kept_out(patterns, left):
    assert list(kept(FILES, patterns)) == left.split()


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (".", 3),
        ("./", 3),
        ("/", 3),
        ("src", 2),
        ("src/*", 2),
        ("a*", 1),
        ("b.py", 0),
        ("**/b.py", 1),
    ],
)
def test_what_a_copy_takes(source, count):
    assert len(selected(FILES, source)) == count
