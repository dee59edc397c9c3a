# loses: survivor
def smallest_gradient(beta2):
    every = torch.arange(1, 31744, dtype=torch.int16).view(torch.float16)
    return 1 + int(torch.nonzero(second_moment(every, beta2) > 0)[0])
