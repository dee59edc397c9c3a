# loses: one-each
# array arithmetic, as in NumPy
@cuda.jit
def add_ten(a, out):
    out = a + 10
