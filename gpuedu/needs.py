"""What parts of the course need beyond NumPy, and what the learner is told where it is missing.

Such a package is imported where it is used. Where it is missing, as in a browser tab, the learner
gets one line: what this needs, and where it runs.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from gpuedu.errors import MissingPackageError

NAMES = {
    "numba": "Numba",
    "torch": "PyTorch",
    "cupy": "CuPy",
    "triton": "Triton",
    "sklearn": "scikit-learn",
    "matplotlib": "matplotlib",
    "psutil": "psutil",
    "pynvml": "NVIDIA's management library",
    "tree_sitter": "a parser of CUDA C (tree-sitter)",
    "tree_sitter_cuda": "a parser of CUDA C (tree-sitter-cuda)",
    "pcpp": "a preprocessor of C (pcpp)",
    "cloudpickle": "cloudpickle",
    "dockerfile_parse": "a parser of Dockerfiles (dockerfile-parse)",
    "kubernetes_validate": "Kubernetes' schemas (kubernetes-validate)",
    "promql_parser": "a parser of PromQL (promql-parser)",
    "prometheus_client": "Prometheus' client",
    "yaml": "PyYAML",
    "accelerate": "Hugging Face's Accelerate",
    "datasets": "Hugging Face's datasets",
    "transformers": "Hugging Face's Transformers",
}
"""Packages by import name, as a person knows them."""

_EXTRAS = {"accelerate": "huggingface", "datasets": "huggingface", "transformers": "huggingface"}
"""What `make lab` leaves out, and which extra of the course's package brings it."""

_LESSONS = {
    "custom-kernels": ("torch", "triton"),
    "attention-kernels": ("torch", "triton"),
    "containers": ("torch", "dockerfile_parse", "kubernetes_validate"),
    "long-runs": ("promql_parser", "yaml"),
    "hugging-face": ("torch", *sorted(_EXTRAS)),
}
"""What a lesson needs beyond PyTorch, or in its place, by the lesson's name."""

IN_TAB = sys.platform == "emscripten"
"""Whether this is a browser tab: no processes, no threads, no signals, one core."""


def has_package(name: str) -> bool:
    """Whether a package can be imported; one that gpuedu stands in for does not count.

    >>> has_package("numpy"), has_package("no_such_package")
    (True, False)
    """
    if name in sys.modules:
        return getattr(sys.modules[name], "__spec__", None) is not None
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # a finder that refuses it
        return False


def missing(name: str) -> MissingPackageError:
    """The error that says what is missing, and where this runs.

    >>> print(missing("torch"))
    This needs PyTorch, which is not installed. Try: `make lab` installs it
    """
    what = NAMES.get(name, name)
    if IN_TAB:
        return MissingPackageError(
            f"This needs {what}, which a browser tab does not have",
            remedy="open this lesson in JupyterLab on a computer; it needs no GPU there either",
        )
    remedy = "`make lab` installs it"
    if name in _EXTRAS:
        remedy = f'`%pip install "gpuedu[{_EXTRAS[name]}]"` in a cell, and restart the kernel'
    if name == "triton" and sys.platform != "linux":
        remedy = "it runs on Linux, also in a container, in WSL on Windows, or in a hosted session"
    return MissingPackageError(f"This needs {what}, which is not installed", remedy=remedy)


def missing_in(lesson: str, *, is_light: bool) -> MissingPackageError | None:
    """The same for the first package that a lesson needs and that is not there, or None.

    ``is_light``: the lesson's own cells run without Numba and PyTorch.

    >>> missing_in("welcome", is_light=True) is None
    True
    """
    needed = _LESSONS.get(lesson, () if is_light else ("torch",))
    gone = (name for name in needed if not has_package(name))
    return next(map(missing, gone), None)


def missing_of(fault: BaseException) -> MissingPackageError | None:
    """The same for an import that failed; None where the package is not one of the course's."""
    if isinstance(fault, MissingPackageError):
        return fault
    if not isinstance(fault, ModuleNotFoundError) or not fault.name:
        return None
    name = fault.name.partition(".")[0]
    return missing(name) if name in NAMES else None
