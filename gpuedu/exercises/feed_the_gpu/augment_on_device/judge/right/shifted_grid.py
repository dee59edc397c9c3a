# a first column for each picture, and from there to the right or to the left
def augment(pictures, flips, tops, lefts, size, mean, std):
    n = torch.arange(pictures.shape[0], device=pictures.device).view(-1, 1, 1)
    r = torch.arange(size, device=pictures.device).view(1, -1, 1)
    c = torch.arange(size, device=pictures.device).view(1, 1, -1)
    sign = 1 - 2 * flips.view(-1, 1, 1).long()
    start = lefts.view(-1, 1, 1) + flips.view(-1, 1, 1).long() * (size - 1)
    x = pictures.permute(0, 2, 3, 1)[n, tops.view(-1, 1, 1) + r, start + sign * c]
    x = (x.float() / 255 - mean) / std
    return x.permute(0, 3, 1, 2).contiguous()
