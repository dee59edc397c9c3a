"""Run by a test in a process of its own: ``gpuedu record`` with nothing but what it may need.

Whatever is imported beyond the standard library, gpuedu and a few packages is refused. With
``--planted`` the GPU is a planted one and the sizes are tiny; else the real one is looked for.
"""

from __future__ import annotations

import sys

ALLOWED = {
    *("numpy", "numba", "numba_cuda", "llvmlite", "cuda", "cupy", "cupy_backends", "cupyx"),
    *("cupy_cuda", "torch", "torchgen", "matplotlib", "fastrlock", "triton"),
    # What these import themselves, and bring along.
    *("typing_extensions", "sympy", "mpmath", "packaging", "filelock", "networkx", "jinja2"),
    *("markupsafe", "fsspec", "_cffi_backend", "setuptools", "pkg_resources", "nvidia"),
    *("_distutils_hack", "functorch", "caffe2", "yaml"),
    *("gpuedu", "tests"),
}
THE_MACHINES = {"tree_sitter", "tree_sitter_cuda", "pcpp", "ply"}
"""What CUDA C needs where it runs on gpuedu's own machine, and not on a GPU."""


class OnlyThese:
    """Refuses what is not allowed, as a machine does where it is not installed."""

    def __init__(self):
        self.refused = set()

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in ALLOWED or top in sys.stdlib_module_names:
            return
        self.refused.add(top)
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main(arguments):
    hook = OnlyThese()
    # What an editable installation or a start-up file brought in does not count as installed.
    for name in list(sys.modules):
        top = name.partition(".")[0]
        if top not in ALLOWED and top not in sys.stdlib_module_names and top != "__main__":
            del sys.modules[name]
    sys.meta_path.insert(0, hook)
    if arguments[:1] != ["--planted"]:
        import runpy

        sys.argv = ["gpuedu", "record", *arguments]
        return runpy.run_module("gpuedu", run_name="__main__", alter_sys=True)
    ALLOWED.update(THE_MACHINES)
    return run_planted(arguments[1:])


def run_planted(arguments):
    from gpuedu.recording import recorder
    from gpuedu.recording.command import main as record
    from tests.recording.planted import TINY, PlantedBench

    recorder.sizes_for = lambda memory_bytes: TINY
    return record(arguments, open_bench=PlantedBench)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
