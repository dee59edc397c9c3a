# loses: sm-active
# asks: That is over the time in which a kernel ran. The gaps belong to the window: in them,
#   nothing is used.
def sm_active(kernels, start_s, end_s, sms):
    times = [max(0, min(b, end_s) - max(a, start_s)) for a, b, _, _ in kernels]
    used = [n for _, _, n, _ in kernels]
    total = sum(times)
    return sum(t * n for t, n in zip(times, used)) / (sms * total) if total else 0.0
