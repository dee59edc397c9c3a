"""In the tab: print what this Python is; with ``--then WORD`` raise an error that says it."""

import sys
from importlib.util import find_spec

import numpy as np

if __name__ == "__main__":
    print(np.dtype(np.intp).name, sys.platform, find_spec("numba") is not None)
    if "--then" in sys.argv:
        raise LookupError(sys.argv[-1])
