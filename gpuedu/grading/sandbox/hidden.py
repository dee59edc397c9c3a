"""What no learner's code may see of the course: judges, graders, and whatever no play imports.

A function that draws a lesson's picture, or that makes the numbers in its text, is often an answer.
So players have only what a lesson's plays need.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_PACKAGES = (
    *("course", "grading/judge", "grading/reading", "grading/sandbox", "exercises/progress"),
    "choosing",  # what exercises ask for, ready-made
    *("ladder", "recording"),  # kernels like those that are asked for
    "experiments/results",  # what trainings gave, which exercises ask for
)
_EXPERIMENTS = (
    "compiled_step",
    "fused_layer",
    "loss_by_rate",
    "loss_by_schedule",
    "reference_digits",
    "same_accuracy",
    "small_gpt",
    "steps_to_accuracy",
)
_MODULES = (
    *(f"experiments/{name}" for name in _EXPERIMENTS),
    *("hardware/occupancy", "hardware/roofline"),  # rules and formulas that exercises ask for
    *("lens/ladder", "lens/roofline"),  # import the latter
    *("multi/network/closed_forms", "multi/network/fit"),
    *("multi/network/hierarchical", "multi/network/overlapping", "multi/network/published"),
    *("multi/network/stragglers", "multi/network/torus_rings"),
)
_NOT_PLAYED = """
*/*picture*  */*measure*  */recorded*  */*_alone
arrays/properties  kernels/costs  kernels/faults  kernels/properties  kernels/program_properties
training/bands  training/properties
why_gpus/energy  why_gpus/machines  why_gpus/sketches  why_gpus/*/facts_page
welcome/places  first_kernels/copies
tiling/counted_kernels  tiling/kernel_counts
registers/accounts  registers/rung_counts  registers/tables  registers/*/sms
training_step/*/given_loop  training_step/*/plain_step
training_step/*/issuing  training_step/*/rule_of_six  training_step/*/small_nets
feed_the_gpu/feeding  feed_the_gpu/*/schedules  feed_the_gpu/*/copy_times
feed_the_gpu/*/augmentation
mixed_precision/formats
batch_and_learning_rate/step_costs  batch_and_learning_rate/*/response_surface
batch_and_learning_rate/*/gradient_noise
choose_hardware/rates
capstone/report_text  capstone/cost_rows
capstone/make_it_fast_too/costs  capstone/make_it_fast_too/limits
capstone/make_it_fast_too/slow_run
clusters/kubernetes/*
clusters/fix_the_manifest/lab  clusters/fix_the_manifest/meeting
clusters/fix_the_manifest/needs  clusters/fix_the_manifest/refusals
clusters/fix_the_manifest/starting  clusters/fix_the_manifest/stopping
ddp/*/grouping  ddp/*/resnet50  ddp/*/exchange_ways
sharding/*/real_*
tensor_parallel/*/real_*
hugging_face/real_trainer
pipelines/pipeline_*  pipelines/stuck  pipelines/plan_costs  pipelines/*/routing
clusters/commands  clusters/context  clusters/dockerfile  clusters/installs  clusters/layers
clusters/image/project
clusters/*/diary  clusters/*/elastic_worker  clusters/*/torchrun_lives
long_runs/cluster_month  long_runs/interrupted_run  long_runs/watched_run  long_runs/promql/[a-z]*
"""
"""Modules below ``exercises`` and in the folders below that, by pattern."""


def hidden_folders(package: Path) -> list[Path]:
    """Folders of the package that are not there for players."""
    places = ("exercises/*/judge", "exercises/*/*/judge")
    judges = [one for place in places for one in package.glob(place) if one.is_dir()]
    return sorted([*judges, *(package / one for one in _PACKAGES)])


def hidden_files(package: Path) -> list[Path]:
    """Modules that no play imports."""
    return sorted(set(_sources(package)))


def _sources(package: Path) -> Iterator[Path]:
    for one in _MODULES:
        yield from package.glob(f"{one}.py")
    for pattern in _NOT_PLAYED.split():
        lesson, _, name = pattern.partition("/")
        for place in (name, f"*/{name}") if lesson == "*" else (name,):
            yield from package.glob(f"exercises/{lesson}/{place}.py")
