# all windows as views, of which an index takes one for each picture
def augment(pictures, flips, tops, lefts, size, mean, std):
    crops = pictures.unfold(2, size, 1).unfold(3, size, 1)
    x = crops[torch.arange(len(pictures), device=pictures.device), :, tops, lefts]
    x = torch.where(flips[:, None, None, None], x.flip(-1), x).float()
    return x.div(255).sub(mean[:, None, None]).div(std[:, None, None])


def draw(count, height, width, size, generator):
    u = torch.rand(3, count, generator=generator, device=generator.device)
    places = torch.tensor([[height], [width]], device=generator.device) - size + 1
    tops, lefts = (u[1:] * places).long()
    return u[0] >= 0.5, tops, lefts
