# loses: launches
# asks: That is how long the host was in operators. While the device computed, that cost
#   nothing.
def where_it_went(profile):
    lanes = {"device": profile.kernels, "copies": profile.copies, "host": profile.operators}
    line = clock.Timeline.of(interval(lane, span) for lane in lanes for span in lanes[lane])
    idle = line.waited_for("device", ["copies", "host"])
    kernels = profile.busy_s("device")
    copies = idle["copies"]
    launches = profile.busy_s("host")
    python = profile.end_s - kernels - copies - launches
    return {"kernels": kernels, "copies": copies, "launches": launches, "python": python}
