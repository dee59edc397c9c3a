# must lose: inside, masked, once, own, safe
@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0) * columns + at
    values = tl.load(x + here, mask=at < columns, other=0.0)
    tl.store(out + here, values * 0 + 1.0, mask=at < columns)
