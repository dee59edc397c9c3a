# Rounding up with whole numbers, each dimension's share for itself.
def _filled(size, step):
    return size / (-(-size // step) * step)


def tpu_share(m, n, k, side):
    return _filled(m, 8) * _filled(n, side) * _filled(k, side)


def gpu_share(m, n, tile_m, tile_n, sms):
    tiles = (-(-m // tile_m)) * (-(-n // tile_n))
    return _filled(m, tile_m) * _filled(n, tile_n) * _filled(tiles, sms)


def faster(m, n, k, tpu, gpu):
    shares = {
        "TPU": round(tpu_share(m, n, k, tpu["side"]) * tpu["flop_per_s"], -3),
        "GPU": round(
            gpu_share(m, n, gpu["tile_m"], gpu["tile_n"], gpu["sms"]) * gpu["flop_per_s"], -3
        ),
    }
    if shares["TPU"] == shares["GPU"]:
        return "either"
    return max(shares, key=shares.get)
