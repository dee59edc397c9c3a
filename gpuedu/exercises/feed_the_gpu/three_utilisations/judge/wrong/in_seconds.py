# loses: sm-active
# asks: That is a time, in seconds. How long is the window of which it is a share?
def sm_active(kernels, start_s, end_s, sms):
    busy_s = 0.0
    for start, end, used, _ in kernels:
        busy_s += max(0.0, min(end, end_s) - max(start, start_s)) * used
    return busy_s / sms
