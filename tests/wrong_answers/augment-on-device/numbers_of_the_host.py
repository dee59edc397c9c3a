# loses: stays
# only the pictures' own numbers are made on the host: they are copied in every call
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures)), :, tops, lefts]
    x = torch.where(flips[:, None, None, None], x.flip(-1), x)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
