# loses: least
# only registers count
def blocks_per_sm(sm, threads, registers, shared_bytes):
    warps = -(-threads // 32)
    of_a_warp = -(-registers * 32 // 256) * 256
    by_registers = sm["registers"] // 4 // of_a_warp * 4 // warps
    units = -(-(shared_bytes + sm["reserved_bytes"]) // sm["unit_bytes"])
    by_shared = sm["blocks"]
    if units:
        by_shared = sm["shared_bytes"] // (units * sm["unit_bytes"])
    return by_registers


def warps_needed(latency, independent):
    return 4 * -(-latency // independent)
