# loses: launches
# asks: That is the sum of all operators' times: of one inside another both, and also those
#   beside which the device was busy.
def where_it_went(profile):
    lanes = {"device": profile.kernels, "copies": profile.copies, "host": profile.operators}
    line = clock.Timeline.of(interval(lane, span) for lane in lanes for span in lanes[lane])
    idle = line.waited_for("device", ["copies", "host"])
    kernels = profile.busy_s("device")
    copies = idle["copies"]
    launches = sum(span.time_s for span in profile.operators)
    python = profile.end_s - kernels - copies - launches
    return {"kernels": kernels, "copies": copies, "launches": launches, "python": python}
