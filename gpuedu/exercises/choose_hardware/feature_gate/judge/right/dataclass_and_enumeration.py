# versions that a dataclass compares, and an enumeration of the four outcomes
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int


class Outcome(str, Enum):
    MISSING = "no kernel"
    FINE = "runs"
    ERROR = "refused"
    SLOW = "falls back"


def running(capability, built):
    return [name for name in built if _runs(Version(*capability), name)]


def _runs(device, name):
    kind, _, digits = name.partition("_")
    own = Version(*divmod(int(digits.rstrip("a")), 10))
    if digits.endswith("a"):
        return own == device
    return own <= device and (kind == "compute" or own.major == device.major)


def outcome(device, job):
    if not running(device["capability"], job["built"]):
        return Outcome.MISSING
    if job["format"] in {"fp32", *device["formats"]}:
        return Outcome.FINE
    return Outcome.ERROR if job["format"].startswith(("fp8", "fp4")) else Outcome.SLOW
