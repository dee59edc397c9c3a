"""Long experiments of the lessons, computed once and shown with their origin.

A lesson's own cells train for seconds; what needs hundreds of runs (the band of a model's accuracy,
a surface of learning rates) is here: a module each, with ``NAME``, ``WHAT`` and ``run(tell)``,
which returns plain values. Its results are in ``results/<name>.json``, with date and versions.

They are results of training, computed on a CPU: losses, accuracies, counts. Never times.
"""

from gpuedu.experiments.results import Experiment, read_results

__all__ = ["Experiment", "read_results"]
