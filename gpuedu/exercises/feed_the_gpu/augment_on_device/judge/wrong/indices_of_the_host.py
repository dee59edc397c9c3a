# loses: stays
# asks: A tensor that is made without `device=` lies on the host, and a GPU refuses to mix them.
#   `device=pictures.device` puts it beside the pictures.
def augment(pictures, flips, tops, lefts, size, mean, std):
    steps = torch.arange(size)
    n = torch.arange(len(pictures))[:, None, None]
    rows = tops[:, None] + steps
    cols = lefts[:, None] + torch.where(flips[:, None], steps.flip(0), steps)
    x = pictures[n, :, rows[:, :, None], cols[:, None, :]].permute(0, 3, 1, 2)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
