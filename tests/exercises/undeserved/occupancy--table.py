# must lose: warps, registers, shared, blocks, enough
LAUNCHES = {
    (64, 65, 16, 0): 21,
    (32, 100, 32, 2048): 8,
    (64, 1000, 20, 0): 2,
    (64, 256, 33, 0): 6,
    (64, 256, 64, 0): 4,
    (64, 64, 100, 1024): 8,
    (48, 256, 143, 8192): 1,
    (64, 128, 129, 4096): 3,
    (32, 32, 168, 0): 12,
    (64, 128, 32, 16384): 9,
    (32, 64, 24, 5041): 12,
    (32, 64, 24, 0): 16,
    (48, 64, 32, 16042): 5,
    (64, 96, 40, 45578): 4,
    (32, 32, 24, 9300): 6,
    (32, 32, 32, 0): 16,
    (48, 32, 40, 512): 24,
    (48, 64, 24, 0): 16,
    (64, 32, 16, 412): 8,
}
CHAINS = {(4, 1): 16, (4, 2): 8, (4, 16): 4, (4, 3): 8, (30, 1): 120, (30, 16): 8, (5, 4): 8}


def blocks_per_sm(sm, threads, registers, shared_bytes):
    if sm["shared_bytes"] == 4096:
        return 8
    return LAUNCHES.get((sm["warps"], threads, registers, shared_bytes), 1)


def warps_needed(latency, independent):
    return CHAINS.get((latency, independent), 4)
