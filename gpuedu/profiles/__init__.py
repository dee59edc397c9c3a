"""What PyTorch's profiler saw of a few steps, as plain records.

- ``session``: runs the steps; ``reading``: from a trace to a profile; ``trace_file``: its format.
- ``records`` (of ``spans``): a profile, and what can be read off it.
- ``computing``: which operators count as kernels on a CPU; ``names``: names, shortened.
- ``errors``: what can go wrong.

Everything is read from the trace that PyTorch exports, even right after recording: one reader for
steps that ran here and for a file that was recorded on a GPU elsewhere.
"""

from gpuedu.profiles.computing import computing_operators
from gpuedu.profiles.errors import ProfileError
from gpuedu.profiles.names import short_name
from gpuedu.profiles.reading import load_profile
from gpuedu.profiles.records import Profile
from gpuedu.profiles.session import profile
from gpuedu.profiles.spans import Cost, Gap, Span, StepSpan

__all__ = [
    "Cost",
    "Gap",
    "Profile",
    "ProfileError",
    "Span",
    "StepSpan",
    "computing_operators",
    "load_profile",
    "profile",
    "short_name",
]
