# with math.ceil
import math


def blocks_per_sm(sm, threads, registers, shared_bytes):
    warps = math.ceil(threads / 32)
    of_a_warp = math.ceil(registers / 8) * 256
    by_registers = sm["registers"] // 4 // of_a_warp * 4 // warps
    units = -(-(shared_bytes + sm["reserved_bytes"]) // sm["unit_bytes"])
    by_shared = sm["blocks"]
    if units:
        by_shared = sm["shared_bytes"] // (units * sm["unit_bytes"])
    return min(sm["warps"] // warps, sm["blocks"], by_registers, by_shared)


def warps_needed(latency, independent):
    return 4 * math.ceil(latency / independent)
