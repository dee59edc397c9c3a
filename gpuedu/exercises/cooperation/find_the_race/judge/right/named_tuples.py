# A fault is a named tuple, its words are NumPy's.
from collections import namedtuple

Fault = namedtuple("Fault", "line kind")
kinds = np.array(["skipped", "missing", "in-place", "not-atomic", "outside"])
found = {
    "jumps": Fault("C", kinds[0]),
    "widen": Fault("C", kinds[2]),
    "shares": Fault("E", kinds[1]),
}
