"""Compute experiments: ``python -m gpuedu.experiments [--list] [NAME ...]``, all by default."""

from __future__ import annotations

import argparse
import pkgutil
import sys
import time
from importlib import import_module
from types import ModuleType

import gpuedu.experiments
from gpuedu.experiments.results import write_results


def find_experiments() -> dict[str, ModuleType]:
    """Experiment name to its module: each module of this package that has ``NAME``."""
    found = {}
    for entry in pkgutil.iter_modules(gpuedu.experiments.__path__):
        if entry.name != "__main__":
            module = import_module(f"gpuedu.experiments.{entry.name}")
            if hasattr(module, "NAME"):
                found[module.NAME] = module
    return found


def main(arguments: list[str] | None = None) -> int:
    """Compute what is named, one after another; exit status 2 for an unknown name."""
    parser = argparse.ArgumentParser(prog="python -m gpuedu.experiments", description=__doc__)
    parser.add_argument("names", nargs="*", help="experiments; all by default")
    parser.add_argument("--list", action="store_true", help="name them, and compute nothing")
    chosen = parser.parse_args(arguments)
    experiments = find_experiments()
    if chosen.list:
        for name, module in experiments.items():
            print(f"{name:24} {module.WHAT}")
        return 0
    unknown = [name for name in chosen.names if name not in experiments]
    if unknown:
        print(f"no experiment {unknown[0]!r}; there are: {', '.join(experiments)}", file=sys.stderr)
        return 2
    for name in chosen.names or experiments:
        started = time.perf_counter()
        print(f"{name}: {experiments[name].WHAT}", flush=True)
        values = experiments[name].run(lambda said: print(f"   {said}", flush=True))
        path = write_results(name, experiments[name].WHAT, values)
        print(f"   {path.name} after {time.perf_counter() - started:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
