"""What the two lessons open with: how heavy a first image is, and a cluster that is half taken."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.clusters.batch_job.cluster_here import BIG, NODES, others
from gpuedu.exercises.clusters.dockerfile import read_dockerfile
from gpuedu.exercises.clusters.image.project import PACKAGE, PACKAGES_MB, PROGRAM, folder, work
from gpuedu.exercises.clusters.layers import build_all
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.cluster_jobs import Cluster, JobBlock, plot_cluster_jobs
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars

_FIRST = """FROM python:3.12-slim
COPY . .
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
RUN pip install -r requirements.txt
"""
_PULL_MB_PER_S = 250


def draw_weight() -> Any:
    """What an image carries that copies the whole folder and cleans nothing up."""
    files = folder()
    (build,) = build_all(work, read_dockerfile(_FIRST), [files])
    system_mb, copied_mb, compiler_mb, packages_mb = (one.layer_mb for one in build.steps)
    own = (PROGRAM, f"{PACKAGE}/")
    program_mb = sum(one.size_mb for path, one in files.items() if path.startswith(own))
    wheels_mb = sum(PACKAGES_MB[name] for name in ("torch", "numpy", "labtools"))
    parts = (
        ("your program", program_mb),
        ("Linux and Python", system_mb),
        ("a C compiler", compiler_mb),
        ("packages, with CUDA's libraries", wheels_mb),
        ("pip's cache of them", packages_mb - wheels_mb),
        ("data, checkpoints, history", copied_mb - program_mb),
    )
    bars = [
        PlainBar(name, mb, _mb(mb), style.ORANGE if name == "your program" else style.BLUE)
        for name, mb in parts
    ]
    told = "; ".join(f"{name} {_mb(mb)}" for name, mb in parts)
    minutes = build.layers_mb / _PULL_MB_PER_S / 60
    caption = Caption(
        title=f"An image of {build.layers_mb / 1000:.0f} GB for a program of {program_mb:.1f} MB",
        x="MB in the image",
        source=f"Simulated, with round sizes. At {_PULL_MB_PER_S} MB/s, each machine that pulls "
        f"this image waits {minutes:.0f} minutes.",
        alt=f"Bars for what is in an image: {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


def _mb(size_mb: float) -> str:
    return f"{size_mb:,.0f} MB" if size_mb >= 1 else f"{size_mb:.1f} MB"


def draw_queue() -> Any:
    """The cluster before you hand in your job: three jobs run, and one waits for all nodes."""
    running = others().placed
    blocks = [JobBlock(one.job.name, one.nodes, 0.0, one.until_min / 60) for one in running]
    taken = sum(len(one.nodes) for one in running)
    told = "; ".join(
        f"{one.job.name} on {len(one.nodes)} of them for {one.until_min / 60:.0f} h"
        for one in running
    )
    hours = BIG.limit_min / 60
    says = f"Running now: {NODES - taken} of {NODES} nodes are free"
    caption = Caption(
        title="When will your job start?",
        x="hours from now, at the latest",
        y="node",
        source=f"First in line: {BIG.name}, which needs all {NODES} nodes for {hours:.0f} hours. "
        "You come next.",
        alt=f"Rows for {NODES} nodes over hours, with the jobs that run: {told}. "
        f"{BIG.name} waits for all {NODES} nodes, for {hours:.0f} hours.",
    )
    return plot_cluster_jobs([Cluster(says, NODES, tuple(blocks))], caption=caption)
