# loses: python
# asks: That is how long the host was outside of operators. While the device computed, that cost
#   nothing.
def where_it_went(profile):
    lanes = {"device": profile.kernels, "copies": profile.copies, "host": profile.operators}
    line = clock.Timeline.of(interval(lane, span) for lane in lanes for span in lanes[lane])
    idle = line.waited_for("device", ["copies", "host"])
    kernels = profile.busy_s("device")
    copies = idle["copies"]
    launches = idle["host"]
    python = profile.end_s - profile.busy_s("host")
    return {"kernels": kernels, "copies": copies, "launches": launches, "python": python}
