# loses: flips
# asks: That is upside down. Which axis runs from left to right?
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures), device=pictures.device), :, tops, lefts]
    x = torch.where(flips[:, None, None, None], x.flip(-2), x)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
