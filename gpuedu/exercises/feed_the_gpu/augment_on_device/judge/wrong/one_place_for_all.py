# loses: crops
# asks: All are cropped where the first one is.
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[:, :, tops[0], lefts[0]]
    x = torch.where(flips[:, None, None, None], x.flip(-1), x)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
