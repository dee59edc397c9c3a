# must lose: outside
def moved(kernels, sizes, results):
    reads = [{n for names, _ in k for n in names} for k in kernels]
    mades = [{n for _, n in k} for k in kernels]
    total = sum(sizes[n] for n in results)
    for at in range(len(kernels)):
        total += sum(sizes[n] for n in reads[at] - mades[at])
        total += sum(
            sizes[n] for n in mades[at] if n not in results and any(n in r for r in reads[at + 1 :])
        )
    return total
