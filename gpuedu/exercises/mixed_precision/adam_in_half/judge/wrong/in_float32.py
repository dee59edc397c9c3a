# loses: survivor
# asks: There is a smaller one.
def smallest_gradient(beta2):
    every = torch.arange(1, 31744, dtype=torch.int16).view(torch.float16).float()
    return every[second_moment(every, beta2) > 2.0**-24].min()
