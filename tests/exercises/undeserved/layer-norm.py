# must lose: twice
@triton.jit
def layer_norm(x, out, weight, bias, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    if columns <= BLOCK:
        mask = at < columns
        v = tl.load(x + row * columns + at, mask=mask, other=0.0)
        mean = tl.sum(v, axis=0) / columns
        off = tl.where(mask, v - mean, 0.0)
        scale = 1 / tl.sqrt(tl.sum(off * off, axis=0) / columns + eps)
        w = tl.load(weight + at, mask=mask, other=0.0)
        b = tl.load(bias + at, mask=mask, other=0.0)
        tl.store(out + row * columns + at, off * scale * w + b, mask=mask)
    else:
        for start in range(0, columns, BLOCK):
            here = start + at
            mask = here < columns
            v = tl.load(x + row * columns + here, mask=mask, other=0.0)
            w = tl.load(weight + here, mask=mask, other=0.0)
            b = tl.load(bias + here, mask=mask, other=0.0)
            tl.store(out + row * columns + here, v * w + b, mask=mask)
