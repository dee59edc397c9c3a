# loses: copies
# asks: Go through the device's idle time, instant by instant: who was busy then?
def where_it_went(profile):
    lanes = {"device": profile.kernels, "copies": profile.copies, "host": profile.operators}
    line = clock.Timeline.of(interval(lane, span) for lane in lanes for span in lanes[lane])
    idle = line.waited_for("device", ["host", "copies"])
    kernels = profile.busy_s("device")
    copies = idle["copies"]
    launches = idle["host"]
    python = profile.end_s - kernels - copies - launches
    return {"kernels": kernels, "copies": copies, "launches": launches, "python": python}
