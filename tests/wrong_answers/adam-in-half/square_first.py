# loses: survivor
def smallest_gradient(beta2):
    every = torch.arange(1, 31744, dtype=torch.int16).view(torch.float16)
    return every[every * every > 0].min()
