# Tensors by their makers: one pass, with lists.
def moved(kernels, sizes, results):
    maker = {made: at for at, kernel in enumerate(kernels) for _, made in kernel}
    loads, stores = set(), set()
    for at, kernel in enumerate(kernels):
        for names, _ in kernel:
            for name in names:
                if maker.get(name) != at:
                    loads.add((at, name))
                    if name in maker:
                        stores.add(name)
    stores |= {name for name in results if name in maker}
    return sum(sizes[name] for _, name in loads) + sum(sizes[name] for name in stores)
