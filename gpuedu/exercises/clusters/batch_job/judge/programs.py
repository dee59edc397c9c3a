"""batch-job: what programs make of the options that they are started with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuedu.exercises.clusters.batch_job.steps import SRUN_LETTERS, SRUN_NAMES, known

_TELLING = {"help", "usage", "version", "test-only"}
_TORCHRUN = """
    nnodes nproc-per-node rdzv-backend rdzv-endpoint rdzv-id rdzv-conf standalone max-restarts
    monitor-interval start-method event-log-handler role module no-python run-path log-dir
    redirects tee local-ranks-filter duplicate-stdout-filters duplicate-stderr-filters node-rank
    master-addr master-port local-addr logs-specs numa-binding signals-to-handle
    shutdown-timeout virtual-local-rank
"""
_TORCHRUN_NAMES = set(_TORCHRUN.split())
_TORCHRUN_FLAGS = {"standalone", "no-python", "run-path", "module", "virtual-local-rank"}
_TORCHRUN_SHORT = {"m": "module", "r": "redirects", "t": "tee"}


def srun_refusal(options: Mapping[str, str]) -> str:
    """The first option for which `srun` starts nothing: there is no such one, or it only tells."""
    there = (SRUN_NAMES | SRUN_LETTERS) - _TELLING
    return next((one for one in options if one not in there), "")


def torchrun_options(words: Sequence[str]) -> tuple[dict[str, str], str, str]:
    """Torchrun's options by their names, with dashes; the program; and the first unknown option.

    >>> torchrun_options(["--nnodes", "2", "--rdzv_id=7", "-r3", "train.py", "--fast"])
    ({'nnodes': '2', 'rdzv-id': '7', 'redirects': '3'}, 'train.py', '')
    >>> torchrun_options(["--backend=nccl", "train.py"])
    ({}, 'train.py', '--backend')
    """
    found: dict[str, str] = {}
    rest, unknown = list(words), ""
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            shown, has_value, value = word.partition("=")
            name = known(shown[2:].replace("_", "-"), _TORCHRUN_NAMES)
        else:
            shown, value = word[:2], word[2:].removeprefix("=")
            name, has_value = _TORCHRUN_SHORT.get(word[1:2], ""), value
        if not name:
            unknown = unknown or shown
            continue
        if name not in _TORCHRUN_FLAGS and not has_value and rest:
            value = rest.pop(0)
        found[name] = value
    return found, rest[0] if rest else "", unknown


def python_file(words: Sequence[str]) -> str:
    """The file that Python runs; "" where options say to run something else.

    >>> python_file(["-u", "-W", "ignore", "train.py"]), python_file(["-c", "1", "train.py"])
    ('train.py', '')
    """
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in ("-W", "-X"):
            del rest[:1]
        elif not word.startswith(("-W", "-X", "--")) and set("cmhV?") & set(word):
            return ""
    return rest[0] if rest else ""
