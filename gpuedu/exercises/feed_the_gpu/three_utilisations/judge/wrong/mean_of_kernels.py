# loses: sm-active
# asks: That is a mean over kernels. How long did each of them run?
def sm_active(kernels, start_s, end_s, sms):
    used = [n for a, b, n, _ in kernels if b > start_s and a < end_s]
    return sum(used) / len(used) / sms if used else 0.0
