# loses: chance
# asks: That is the nearest, in every draw. Where do the uniform numbers come in?
def round_stochastically(values, dtype, uniform):
    return values.to(dtype)
