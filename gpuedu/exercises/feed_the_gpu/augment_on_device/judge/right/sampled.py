# samples at the middles of pixels, the nearest one
def augment(pictures, flips, tops, lefts, size, mean, std):
    count, _, height, width = pictures.shape
    steps = torch.arange(size, device=pictures.device)
    sign = (1 - 2 * flips.long()).view(-1, 1, 1)
    rows = (tops.view(-1, 1, 1) + steps.view(1, -1, 1)).expand(count, size, size)
    cols = (lefts + flips * (size - 1)).view(-1, 1, 1) + sign * steps.view(1, 1, -1)
    cols = cols.expand(count, size, size)
    where = torch.stack([(2 * cols + 1) / width - 1, (2 * rows + 1) / height - 1], -1)
    x = torch.nn.functional.grid_sample(
        pictures.float(), where, mode="nearest", align_corners=False
    )
    return x.mul(1 / 255).sub(mean.view(-1, 1, 1)).mul(std.reciprocal().view(-1, 1, 1))
