# loses: cycle
# asks: In which line does it stand? The other side of that call is the rank it waits for, even
#   if that one waits, too.
waits_for = {0: 1, 1: 2, 2: 3, 3: 0}
