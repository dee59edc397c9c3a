# must lose: faster
def tpu_share(m, n, k, side):
    return 0.0


def gpu_share(m, n, tile_m, tile_n, sms):
    return 0.0


def faster(m, n, k, tpu, gpu):
    seen = n, round(tpu["flop_per_s"] / 1e12)
    if seen == (16384, 400):
        return "either"
    on_gpu = (16384, 300), (129, 400), (384, 500), (128, 770), (256, 300)
    return "GPU" if seen in on_gpu else "TPU"
