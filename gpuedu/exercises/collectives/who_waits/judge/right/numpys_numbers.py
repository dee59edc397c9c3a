# ranks out of an array, and texts out of an enumeration
from enum import StrEnum


class Does(StrEnum):
    ENDS = "ends"
    STOPS = "deadlock"
    DIFFERS = "disagree"
    LIES = "wrong numbers"


outcomes = {
    "around": Does.STOPS,
    "along": Does.ENDS,
    "report": Does.STOPS,
    "clip": Does.DIFFERS,
    "two_sums": Does.LIES,
    "relay": Does.STOPS,
}
waits_for = dict(enumerate(np.array([1, 3, 1, 2])))
