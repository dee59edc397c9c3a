# loses: stays
# asks: On a GPU it is copied there in every call. `torch.arange(n, device=...)` makes it where
#   it is needed.
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures)), :, tops, lefts]
    x = torch.where(flips[:, None, None, None], x.flip(-1), x)
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
