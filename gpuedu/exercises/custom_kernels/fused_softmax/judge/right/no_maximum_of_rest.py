@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    is_there = at < columns
    place = tl.program_id(axis=0) * columns + at
    row = tl.load(x + place, mask=is_there, other=-1e38)
    powers = tl.where(is_there, tl.exp(row - tl.max(row, axis=0)), 0.0)
    tl.store(out + place, powers * (1 / tl.sum(powers, axis=0)), mask=is_there)
