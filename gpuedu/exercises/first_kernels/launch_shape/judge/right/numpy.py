# NumPy's numbers and truths.
def blocks_for(n, threads):
    return int(np.ceil(n / threads))


def can_launch(grid, block):
    grid, block = np.array(grid), np.array(block)
    fits = np.all((grid >= 1) & (grid <= [2**31 - 1, 65535, 65535]))
    return fits & np.all((block >= 1) & (block <= [1024, 1024, 64])) & (block.prod() <= 1024)


def empty_lanes(threads):
    return (threads + 31) // 32 * 32 - threads
