# loses: stays
# asks: A mask as an index must know how many are True. `torch.where(mask, a, b)` need not: its
#   result has the same shape in any case.
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures), device=pictures.device), :, tops, lefts]
    x[flips] = x[flips].flip(-1)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
