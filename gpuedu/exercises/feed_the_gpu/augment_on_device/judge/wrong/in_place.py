# loses: flips
# asks: They are the data set: the next epoch wants them as they were.
def augment(pictures, flips, tops, lefts, size, mean, std):
    pictures.copy_(torch.where(flips[:, None, None, None], pictures.flip(-1), pictures))
    lefts = torch.where(flips, pictures.shape[3] - size - lefts, lefts)
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures), device=pictures.device), :, tops, lefts]
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
