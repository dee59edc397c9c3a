"""What others run the course by: Binder, GitHub's workflows, a container, a dev container."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from gpuedu.course.addresses import (
    NAME,
    OWNER,
    SITE_BRANCH,
    binder_url,
    colab_url,
    page_url,
    tab_url,
    ways_in,
)
from gpuedu.exercises.clusters.dockerfile import read_dockerfile
from gpuedu.syllabus import lesson, ready_lessons

HOURS_OF_A_JOB = 360
PYTHON = "3.11"


def test_binder_finds_an_environment_and_the_step_after_it(root, monkeypatch):
    conda = pytest.importorskip("repo2docker.buildpacks").CondaBuildPack
    monkeypatch.chdir(root)
    pack = conda("docker.io/library/buildpack-deps:jammy")
    pack.platform = "linux/amd64"
    assert pack.detect()
    assert pack.python_version == PYTHON
    assert not pack.separate_kernel_env
    text = pack.render({})
    assert "RUN ./postBuild" in text
    assert "environment.yml" in text


def test_the_step_after_it_lays_out_what_the_links_open(root, tmp_path):
    subprocess.run(["bash", "-n", root / "postBuild"], check=True)
    assert "gpuedu start workspace" in (root / "postBuild").read_text("utf-8")
    for entry in ready_lessons():
        assert binder_url(entry).endswith(
            f"urlpath=lab%2Ftree%2Fworkspace%2F{entry.folder}%2F{entry.folder}.ipynb"
        )
    heavy = [one.slug for one in ready_lessons() if "Open in Binder" not in dict(ways_in(one))]
    assert heavy == ["hugging-face"]


@pytest.mark.parametrize("name", ["test", "site"])
def test_a_workflow_is_one_by_its_schema(root, name):
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema"]
    command += ["--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run(
        [*command, str(root / ".github" / "workflows" / f"{name}.yml")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["test", "site"])
def test_what_a_workflow_makes_can_be_made(root, name):
    text = (root / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+)(?= .*:|:)", (root / "Makefile").read_text("utf-8"), re.M))
    for line in re.findall(r"run: make (.+)", text):
        assert set(line.split()) <= targets, line
    (job,) = yaml.safe_load(text)["jobs"].values()
    assert job["timeout-minutes"] <= HOURS_OF_A_JOB
    versions = [step.get("with", {}).get("python-version") for step in job["steps"]]
    image = job.get("container", {}).get("image", "")
    assert PYTHON in versions or image.startswith(f"python:{PYTHON}-")


def test_the_site_goes_where_the_links_lead(root):
    text = (root / ".github" / "workflows" / "site.yml").read_text("utf-8")
    entry = lesson("memory")
    assert f"initial-branch {SITE_BRANCH}" in text
    assert "mv site book/tab" in text
    assert "mv colab book/colab" in text
    assert f"/{OWNER}/{NAME}/blob/{SITE_BRANCH}/colab/{entry.folder}.ipynb" in colab_url(entry)
    assert page_url(entry).endswith(f"/lessons/{entry.folder}.html")


def test_the_readme_opens_what_the_pages_open(root):
    text = (root / "README.md").read_text("utf-8")
    for url in (tab_url, colab_url, binder_url):
        assert f"]({url(lesson('welcome'))})" in text


def test_the_image_is_one_by_the_course_own_rules(root):
    """Its own lesson says what a Dockerfile should do: no root, a fixed base, no cache of pip's."""
    text = (root / "docker" / "Dockerfile").read_text("utf-8")
    assert read_dockerfile(text)
    assert re.search(r"^USER 1000$", text, re.M)
    assert "--no-cache-dir" in text
    assert ":latest" not in text
    hadolint = shutil.which("hadolint")
    if hadolint:
        done = subprocess.run(
            [hadolint, root / "docker" / "Dockerfile"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def test_no_solution_gets_into_the_image(root):
    lines = (root / ".dockerignore").read_text("utf-8").split()
    assert "*" in lines
    assert "!solutions" not in lines
    copied = re.findall(r"^COPY (.+) \S+$", (root / "docker" / "Dockerfile").read_text(), re.M)
    for name in " ".join(copied).split():
        assert f"!{name}" in lines, name


def test_the_dev_container_sets_up_as_anybody_does(root):
    found = json.loads((root / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert "make .venv/ready" in found["postCreateCommand"]
    assert PYTHON in found["image"]
