# loses: both
# asks: That is cut out of the mirrored picture. `lefts` counts from the left of the picture as
#   it came; it is the crop that is mirrored.
def augment(pictures, flips, tops, lefts, size, mean, std):
    turned = torch.where(flips[:, None, None, None], pictures.flip(-1), pictures)
    crops = turned.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures), device=pictures.device), :, tops, lefts]
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
