# Along x and y a block cannot be too long if it has at most 1,024 threads in all.
import math


def blocks_for(n, threads):
    full, rest = divmod(n, threads)
    return full + (rest > 0)


def can_launch(grid, block):
    if min(*grid, *block) < 1:
        return False
    return max(grid[1:]) < 2**16 and grid[0] < 2**31 and block[2] <= 64 and math.prod(block) <= 1024


def empty_lanes(threads):
    return 31 - (threads - 1) % 32
