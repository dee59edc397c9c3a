# loses: copies
# asks: That is all copies. The one beside the kernels cost nothing: the device was busy.
def where_it_went(profile):
    lanes = {"device": profile.kernels, "copies": profile.copies, "host": profile.operators}
    line = clock.Timeline.of(interval(lane, span) for lane in lanes for span in lanes[lane])
    idle = line.waited_for("device", ["copies", "host"])
    kernels = profile.busy_s("device")
    copies = sum(span.time_s for span in profile.copies)
    launches = idle["host"]
    python = profile.end_s - kernels - copies - launches
    return {"kernels": kernels, "copies": copies, "launches": launches, "python": python}
