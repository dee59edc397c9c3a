# loses: stays
# asks: Which operation takes the tensor itself, in place of the number that is in it?
def augment(pictures, flips, tops, lefts, size, mean, std):
    x = np.lib.stride_tricks.sliding_window_view(pictures.numpy(), (size, size), (2, 3))
    x = x[np.arange(len(x)), :, tops.numpy(), lefts.numpy()]
    x = torch.from_numpy(np.where(flips.numpy()[:, None, None, None], x[..., ::-1], x))
    return (x / 255 - mean[:, None, None]) / std[:, None, None]
