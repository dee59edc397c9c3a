# must lose: wheels, silent, outcomes
WHEELS = {
    ("cu130", (8, 9)): "cu130",
    ("cu130", (7, 0)): "cu128",
    ("cu130", (6, 1)): "cu126",
    ("stable", (9, 0)): "stable",
    ("stable", (12, 0)): "stable",
}
FALLS_BACK = [
    ((6, 1), [], "fp16"),
    ((8, 7), ["fp16"], "bf16"),
    ((8, 7), ["bf16"], "tf32"),
    ((7, 5), ["fp16"], "tf32"),
    ((7, 5), ["fp16"], "bf16"),
]


def running(capability, built):
    return [one for one in built if one in ("sm_75", "compute_60", "compute_80")]


def wheel_for(capability, wheels):
    return WHEELS.get((next(iter(wheels), ""), capability), "")


def outcome(device, job):
    if (device["capability"], device["formats"], job["format"]) in FALLS_BACK:
        return "falls back"
    if job["built"][0] == "sm_80":
        return "no kernel"
    if job["format"] == "fp32" or job["format"] in device["formats"]:
        return "runs"
    return "refused"
