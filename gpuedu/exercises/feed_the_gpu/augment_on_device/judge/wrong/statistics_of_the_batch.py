# loses: normalised
# asks: A byte is a share of 255; from it goes the mean of its channel, and then it is divided
#   by the `std` of its channel.
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures), device=pictures.device), :, tops, lefts] / 255
    x = torch.where(flips[:, None, None, None], x.flip(-1), x)
    return (x - x.mean((0, 2, 3), keepdim=True)) / x.std((0, 2, 3), keepdim=True)
