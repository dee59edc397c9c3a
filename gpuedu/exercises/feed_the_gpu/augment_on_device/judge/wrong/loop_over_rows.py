# loses: few-kernels
# asks: Is there a loop over rows, or over positions?
def augment(pictures, flips, tops, lefts, size, mean, std):
    n = torch.arange(len(pictures), device=pictures.device)
    crops = pictures.unfold(3, size, 1)
    x = torch.stack([crops[n, :, tops + row, lefts] for row in range(size)], dim=2)
    x = torch.where(flips[:, None, None, None], x.flip(-1), x)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
