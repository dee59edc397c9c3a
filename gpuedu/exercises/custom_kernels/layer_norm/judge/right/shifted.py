@triton.jit
def layer_norm(x, out, weight, bias, columns, eps, BLOCK: tl.constexpr):
    x += tl.program_id(0) * columns
    out += tl.program_id(0) * columns
    places = tl.arange(0, BLOCK)
    values = tl.load(x + places, mask=places < columns, other=0.0)
    near = tl.sum(values, axis=0) / tl.minimum(columns, BLOCK)
    off = tl.where(places < columns, values - near, 0.0)
    sums, squares = off, off * off
    for start in range(BLOCK, columns, BLOCK):
        values = tl.load(x + start + places, mask=start + places < columns, other=0.0)
        off = tl.where(start + places < columns, values - near, 0.0)
        sums += off
        squares += off * off
    beside = tl.sum(sums, axis=0) / columns
    variance = tl.sum(squares, axis=0) / columns - beside * beside
    scale = tl.rsqrt(variance + eps)
    for start in range(0, columns, BLOCK):
        at = start + places
        values = tl.load(x + at, mask=at < columns)
        found = (values - near - beside) * scale * tl.load(weight + at, mask=at < columns)
        tl.store(out + at, found + tl.load(bias + at, mask=at < columns), mask=at < columns)
