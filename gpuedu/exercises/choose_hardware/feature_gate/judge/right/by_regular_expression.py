# One expression takes a name apart, and a table says what each kind admits.
import re


def running(capability, built):
    major, minor = capability
    found = []
    for name in built:
        kind, own_major, own_minor, exact = re.fullmatch(r"(\w+)_(\d+)(\d)(a?)", name).groups()
        own_major, own_minor = int(own_major), int(own_minor)
        if exact:
            runs = own_major == major and own_minor == minor
        elif kind == "sm":
            runs = own_major == major and own_minor <= minor
        else:
            runs = 10 * own_major + own_minor <= 10 * major + minor
        if runs:
            found.append(name)
    return tuple(found)


def wheel_for(capability, wheels):
    return next((name for name in wheels if running(capability, wheels[name])), "")


def outcome(device, job):
    wanted = job["format"]
    if not running(device["capability"], job["built"]):
        return "no kernel"
    known = {*device["formats"], "fp32"}
    return (
        "runs" if wanted in known else "falls back" if wanted not in {"fp4", "fp8"} else "refused"
    )
