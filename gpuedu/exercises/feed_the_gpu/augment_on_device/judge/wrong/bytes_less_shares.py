# loses: normalised
# asks: `mean` and `std` are of shares, from 0 to 1. The pictures are bytes.
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures), device=pictures.device), :, tops, lefts]
    x = torch.where(flips[:, None, None, None], x.flip(-1), x)
    return (x - mean[:, None, None]) / std[:, None, None]
