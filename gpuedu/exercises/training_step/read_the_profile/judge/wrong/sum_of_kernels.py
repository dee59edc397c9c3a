# loses: kernels
# asks: That is the sum of all kernels' times. Two that ran at the same time, on two streams,
#   made the device busy once.
def where_it_went(profile):
    lanes = {"device": profile.kernels, "copies": profile.copies, "host": profile.operators}
    line = clock.Timeline.of(interval(lane, span) for lane in lanes for span in lanes[lane])
    idle = line.waited_for("device", ["copies", "host"])
    kernels = sum(span.time_s for span in profile.kernels)
    copies = idle["copies"]
    launches = idle["host"]
    python = profile.end_s - kernels - copies - launches
    return {"kernels": kernels, "copies": copies, "launches": launches, "python": python}
