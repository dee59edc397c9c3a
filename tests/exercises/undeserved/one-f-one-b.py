# must lose: memory
one_f_one_b = draft
