# loses: wide-sum
# asks: Only the result was rounded to float16: products and total were float32. (`np.dot` of
#   float16 arrays does that inside.) Leave the result as it is.
def dot(a, b):
    return np.dot(a, b)
