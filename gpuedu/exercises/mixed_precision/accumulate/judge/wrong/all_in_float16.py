# loses: wide-sum
# asks: The products are exact. The total is rounded to float16 after each addition. In which
#   format should it be?
def dot(a, b):
    return running_sum(a * b)
