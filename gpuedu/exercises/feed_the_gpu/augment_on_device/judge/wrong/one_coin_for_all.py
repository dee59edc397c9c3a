# loses: flips
# asks: All are mirrored. Whose flag decides for picture i?
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures), device=pictures.device), :, tops, lefts]
    x = torch.where(flips[0], x.flip(-1), x)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
