"""In the tab: what this Python is, or, with ``--fail``, an error."""

import sys
from importlib.util import find_spec

import numpy as np

if __name__ == "__main__":
    if "--fail" in sys.argv:
        raise LookupError("asked to fail")
    print(np.dtype(np.intp).name, sys.platform, find_spec("numba") is not None)
