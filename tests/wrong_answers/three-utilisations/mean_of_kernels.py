# loses: sm-active
# the mean over kernels, however long each one ran
def sm_active(kernels, start_s, end_s, sms):
    used = [n for a, b, n, _ in kernels if b > start_s and a < end_s]
    return sum(used) / len(used) / sms if used else 0.0
