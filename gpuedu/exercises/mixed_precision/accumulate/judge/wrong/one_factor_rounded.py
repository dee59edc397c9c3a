# loses: products
# asks: The product of two float16 numbers is rounded to float16 before it is added. In which
#   format must the factors be when they are multiplied?
def dot(a, b):
    return np.sum((a.astype(np.float32) * b).astype(np.float16).astype(np.float32))
