# loses: python
# asks: Something is missing at the end: a step may end in Python, behind the last operator.
#   `profile.end_s` is the end.
def where_it_went(profile):
    lanes = {"device": profile.kernels, "copies": profile.copies, "host": profile.operators}
    line = clock.Timeline.of(interval(lane, span) for lane in lanes for span in lanes[lane])
    idle = line.waited_for("device", ["copies", "host"])
    kernels = profile.busy_s("device")
    copies = idle["copies"]
    launches = idle["host"]
    python = idle[""]
    return {"kernels": kernels, "copies": copies, "launches": launches, "python": python}
