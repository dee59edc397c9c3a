# puts blocks on the SM one by one
def blocks_per_sm(sm, threads, registers, shared_bytes):
    warps = (threads + 31) // 32
    of_a_warp = (registers * 32 + 255) // 256 * 256
    places = 4 * (sm["registers"] // 4 // of_a_warp)
    shared = shared_bytes + sm["reserved_bytes"]
    shared += -shared % sm["unit_bytes"]
    blocks = 0
    while (
        blocks < sm["blocks"]
        and (blocks + 1) * warps <= min(sm["warps"], places)
        and (blocks + 1) * shared <= sm["shared_bytes"]
    ):
        blocks += 1
    return blocks


def warps_needed(latency, independent):
    return 4 * ((latency + independent - 1) // independent)
