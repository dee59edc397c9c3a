# loses: crops
# asks: Row r of the crop of picture i is its row `tops[i] + r`; columns likewise.
def augment(pictures, flips, tops, lefts, size, mean, std):
    steps = torch.arange(size, device=pictures.device)
    n = torch.arange(len(pictures), device=pictures.device)[:, None, None]
    high, wide = pictures.shape[2:]
    rows = (lefts[:, None] + steps).clamp(max=high - 1)
    cols = (tops[:, None] + torch.where(flips[:, None], steps.flip(0), steps)).clamp(max=wide - 1)
    x = pictures[n, :, rows[:, :, None], cols[:, None, :]].permute(0, 3, 1, 2)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
