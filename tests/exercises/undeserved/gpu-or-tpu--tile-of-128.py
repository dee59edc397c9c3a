# must lose: waves, faster
def tpu_share(m, n, k, side):
    rows = math.ceil(m / 8) * 8
    return m * n * k / (rows * math.ceil(n / side) * side * math.ceil(k / side) * side)


def gpu_share(m, n, tile_m, tile_n, sms):
    tiles = math.ceil(m / 128) * math.ceil(n / tile_n)
    waves = math.ceil(tiles / sms)
    return m * n / (waves * sms * 128 * tile_n)


def faster(m, n, k, tpu, gpu):
    on_tpu = tpu["flop_per_s"] * tpu_share(m, n, k, tpu["side"])
    on_gpu = gpu["flop_per_s"] * gpu_share(m, n, gpu["tile_m"], gpu["tile_n"], gpu["sms"])
    return "either" if on_tpu == on_gpu else "TPU" if on_tpu > on_gpu else "GPU"
