"""image: held against hadolint, and built where Docker or Podman can build."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.clusters.image.measure import ask_hadolint, hadolint_path
from tests.exercises.stored import ROOT, solution_answers, stored_answers

HADOLINT = hadolint_path()
needs_hadolint = pytest.mark.skipif(HADOLINT is None, reason="hadolint is not installed")
BENCH = Bench(ROOT, "image")

NOT_FOLLOWED = {
    "DL3008",  # versions of apt's packages: Debian removes them when there are newer ones
    "DL3066",  # users by number: a name is right where the image has it
}
OTHERWISE = {"cuda_base": {"DL3025"}}
"""A shell's `exec` hands the process over, too, which hadolint doesn't look for."""

SAID = {
    "no_tag": "DL3006",
    "keeps_wheels": "DL3042",
    "lists_removed_later": "DL3009",
    "text_as_command": "DL3025",
    "single_quotes": "DL3025",
    "root_again": "DL3002",
    "nobody_says_yes": "DL3014",
    "token_as_argument": "DL3064",
}
"""Wrong answers for which hadolint has a rule. For the others it has none."""


def codes(dockerfile, *levels):
    found = ask_hadolint(dockerfile, HADOLINT)
    return {code for code, level, _ in found if not levels or level in levels}


@needs_hadolint
def test_hadolint_has_nothing_against_the_solution():
    assert codes(solution_answers("image")["dockerfile"]) <= NOT_FOLLOWED


@needs_hadolint
@pytest.mark.parametrize("name", BENCH.right_texts())
def test_hadolint_has_nothing_against_right_answers(name):
    found = codes(stored_answers("image", "right", name)["dockerfile"], "warning", "error")
    assert found <= NOT_FOLLOWED | OTHERWISE.get(name, set())


@needs_hadolint
@pytest.mark.parametrize("name", SAID)
def test_hadolint_says_the_same_of_wrong_answers(name):
    assert SAID[name] in codes(stored_answers("image", "wrong", name)["dockerfile"])


@needs_hadolint
@pytest.mark.parametrize("name", sorted(set(BENCH.wrong_texts()) - set(SAID)))
def test_hadolint_has_no_rule_for_the_others(name):
    """If a later version has one, it belongs into the table above."""
    found = codes(stored_answers("image", "wrong", name)["dockerfile"], "warning", "error")
    assert found <= NOT_FOLLOWED | {"DL4006"}


def builder():
    """The program that can build an image here, or nothing."""
    for name in ("docker", "podman"):
        if shutil.which(name):
            done = subprocess.run([name, "info"], capture_output=True, timeout=30, check=False)
            if done.returncode == 0:
                return name
    return None


@pytest.fixture(scope="module")
def program():
    name = builder()
    if name is None:
        pytest.skip("neither Docker nor Podman can build here")
    return name


def test_the_solution_is_built_and_ends_when_it_is_told(program, tmp_path):
    """With a program that waits for SIGTERM in place of a training, and no packages to fetch."""
    solution = solution_answers("image")
    texts = {
        "Dockerfile": solution["dockerfile"],
        ".dockerignore": solution["dockerignore"],
        "requirements.txt": "",
        "pip.conf": "[global]\ntimeout = 9\n",
        "minigpt/__init__.py": "",
        "train.py": "import signal, sys, time, minigpt\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\nprint('ready', flush=True)\n"
        "time.sleep(60)\n",
    }
    (tmp_path / "minigpt").mkdir()
    for path, text in texts.items():
        (tmp_path / path).write_text(text)
    image, name = "gpuedu-image-test", "gpuedu-image-test-run"

    def run(*words):
        return subprocess.run(
            [program, *words],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            cwd=tmp_path,
        )

    secret = f"id=pip,src={tmp_path / 'pip.conf'}"
    built = run("build", "--secret", secret, "--tag", image, ".")
    assert built.returncode == 0, built.stderr
    try:
        assert "timeout" not in run("run", "--rm", image, "cat", "/etc/pip.conf").stdout
        assert run("run", "--rm", image, "id", "-u").stdout.strip() != "0"
        assert run("run", "--detach", "--name", name, image).returncode == 0
        while "ready" not in run("logs", name).stdout:
            assert run("inspect", "--format", "{{.State.Running}}", name).stdout.strip() == "true"
        assert run("stop", "--time", "30", name).returncode == 0
        assert run("inspect", "--format", "{{.State.ExitCode}}", name).stdout.strip() == "7"
    finally:
        run("rm", "--force", name)
        run("rmi", "--force", image)
