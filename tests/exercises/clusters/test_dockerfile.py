"""Dockerfiles as people write them, with all that dockerfile-parse stumbles over."""

from __future__ import annotations

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.dockerfile import Instruction, read_dockerfile
from gpuedu.exercises.clusters.installs import script


def only(text):
    """The instructions of the last stage."""
    return read_dockerfile(text).stages[-1].instructions


def test_an_empty_line_or_a_comment_does_not_end_an_instruction():
    text = "FROM a:1\nRUN b && \\\n    # why\n\n    c \\\n  d\n\nUSER 1\n"
    run, user = only(text)
    assert run.value.split() == ["b", "&&", "c", "d"]
    assert (run.line, user.line) == (2, 8)


@pytest.mark.parametrize("end", ["\\", "\\\n", "\\\n\n# no more\n", "\\ \n"])
def test_a_backslash_at_the_very_end_goes_on_to_nothing(end):
    (run,) = only(f"FROM a:1\nRUN b {end}")
    assert run.value == "b"


def test_a_comment_goes_on_to_nothing():
    (run,) = only("FROM a:1\n# b \\\nRUN c\n")
    assert (run.value, run.line) == ("c", 3)


def test_heredocs_are_no_instructions():
    text = 'FROM a:1\nRUN <<EOF\napt-get update\n\n# no comment\nEOF\nCOPY <<-"X" /x\n\thi\n\tX\nUSER 1\n'
    run, copy, user = only(text)
    assert run.heredocs == ("apt-get update\n\n# no comment",)
    assert copy.heredocs == ("hi",)
    assert (copy.line, user.line) == (7, 10)


def test_two_heredocs_and_none():
    text = "FROM a:1\nRUN cat <<A <<B\na\nA\nb\nB\nRUN cat <<<EOF && echo $((1<<2))\nUSER 1"
    first, second, _ = only(text)
    assert first.heredocs == ("a", "b")
    assert second.heredocs == ()


@pytest.mark.parametrize(
    ("value", "heredocs", "shell"),
    [
        ("<<EOF", ("set -e\nb",), "set -e\nb"),
        ("bash -e <<EOF", ("b",), "b"),
        ("<<EOF", ("#!/bin/bash -e\nb",), "#!/bin/bash -e\nb"),
        ("<<EOF", ("#!/usr/bin/env python3\nb",), ""),
        ("python3 <<EOF", ("import os",), "python3"),
        ('["sh", "-c", "b"]', (), "sh -c b"),
    ],
)
def test_what_a_shell_reads(value, heredocs, shell):
    assert script(Instruction("RUN", value, 1, heredocs=heredocs)) == shell


def test_another_sign_goes_on_where_a_directive_says_so():
    (run, _) = only("# syntax=docker/dockerfile:1\n# escape=`\nFROM a:1\nRUN b `\n  c\\\nUSER 1\n")
    assert run.value.split() == ["b", "c\\"]


def test_letters_and_lists():
    found = only(
        'from a:1 as B\nrun ["a", "b c"]\ncmd [\'a\']\ncopy --from=B ["x y", "/z/"]\ncmd []'
    )
    run, quoted, copy, empty = found
    assert [one.name for one in found] == ["RUN", "CMD", "COPY", "CMD"]
    assert run.words == ["a", "b c"]
    assert quoted.arguments_listed is None
    assert (copy.words, copy.flag("from")) == (["x y", "/z/"], "B")
    assert empty.words == []


def test_variables_are_filled_in_where_a_builder_does_so():
    text = (
        "ARG V=3.12\nARG W\nFROM python:${V}-${W:-slim}\nARG V\nARG N=lib\nENV A='x y' B=$V\n"
        'ENV C="$A z"\nCOPY $N /${N}/$V\nRUN echo $V\n'
    )
    read = read_dockerfile(text)
    *_, copy, run = read.stages[0].instructions
    assert read.stages[0].image == "python:3.12-slim"
    assert copy.words == ["lib", "/lib/3.12"]
    assert run.value == "echo $V"
    assert run.environment == {"A": "x y", "B": "3.12", "C": "x y z"}
    assert run.arguments == {"V": "3.12", "N": "lib"}
    assert read_dockerfile(text, {"V": "3.13"}).stages[0].image == "python:3.13-slim"


def test_arguments_from_above_are_unknown_in_a_stage_that_does_not_ask():
    (run,) = only("ARG V=1\nFROM a:$V\nRUN echo $V")
    assert run.arguments == {}


def test_a_stage_goes_on_with_the_environment_of_an_earlier_one():
    text = "FROM a:1 AS One\nENV A=1\nFROM one\nRUN b\nFROM c:1\nRUN d"
    read = read_dockerfile(text)
    assert read.stages[1].instructions[0].environment == {"A": "1"}
    assert read.stages[2].instructions[0].environment == {}
    assert (read.lineage(1), read.needed()) == ([0, 1], [2])


def test_mounts():
    run, *_ = only(
        "FROM a:1\nRUN --mount=type=cache,dst=/c --mount=src=x,target=/y,ro b --mount=no\n"
    )
    assert run.mounts == (
        {"type": "cache", "target": "/c"},
        {"type": "bind", "source": "x", "target": "/y", "ro": ""},
    )
    assert run.value == "b --mount=no"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no FROM"),
        ("# only this\n\n", "no FROM"),
        ("RUN a\nFROM b:1", "line 1 of the Dockerfile: `RUN` before any FROM"),
        ("FROM a:1\n\napt-get update", "line 3 .* `apt-get`, which isn.t an instruction"),
        ("FROM a:1\nRUN b &&\n  c", "line 3 .* `c`, which isn.t an instruction"),
        ("FROM a:1\nCMD", "line 2 .* `CMD` is all"),
        ("FROM a:1 b", "line 1 .* FROM takes an image"),
        ("FROM a:1\nCOPY --chown=1:1 ", "line 2 .* COPY takes what to copy"),
        ("FROM a:1 AS build\nFROM a:1\nCOPY --from=build \n", "line 3 .* COPY takes what to copy"),
        ("FROM a:1\nADD x", "line 2 .* ADD takes what to copy"),
        ("FROM a:1\nCOPY $A $B", "line 2 .* COPY takes what to copy"),
        ("FROM a:1\nCOPY []", "line 2 .* COPY takes what to copy"),
        ("FROM a:1\nRUN <<X\nb", "line 2 .* ends at a line with `X`"),
        ("FROM a:1\nENV A=b c", "line 2 .* no `=`"),
        ("FROM a:1\nRUN \ud800", "no text"),
        ("FROM a:1\nENV A=xx\n" + "ENV A=$A$A\n" * 30, "very long"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text, says):
    with pytest.raises(AnswerError, match=says):
        read_dockerfile(text)


def test_windows_ends_of_lines():
    (run, user) = only("FROM a:1\r\nRUN b \\\r\n  c\r\nUSER 1\r\n")
    assert (run.value.split(), user.value) == (["b", "c"], "1")
