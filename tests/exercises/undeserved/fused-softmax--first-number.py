# must lose: safe
@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0) * columns + at
    values = tl.load(x + here, mask=at < columns, other=-float("inf"))
    first = tl.sum(tl.where(at == 0, values, 0.0), axis=0)  # not the largest
    powers = tl.exp(values - first)
    tl.store(out + here, powers / tl.sum(powers, axis=0), mask=at < columns)
