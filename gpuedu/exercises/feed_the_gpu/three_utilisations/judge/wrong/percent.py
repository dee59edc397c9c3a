# loses: sm-active
# asks: That is in per cent. Return a share, from 0 to 1.
def sm_active(kernels, start_s, end_s, sms):
    busy = sum(max(0, min(b, end_s) - max(a, start_s)) * n for a, b, n, _ in kernels)
    return 100 * busy / (sms * (end_s - start_s))
