# must lose: rows, before, after, times, where
from gpuedu.exercises.capstone.programs import given_program
program = dict(given_program('make_it_fast', 'reader'))
program['train.py'] += '\n# mine\n'
report = '''
| cost | before | after | times | changed in |
|---|---|---|---|---|
| read in a run | 1 | 1 | 1 | |
| requests in a run | 1 | 1 | 1 | |
| copies to the device, a step | 1 | 1 | 1 | |
| bytes copied, a step | 1 | 1 | 1 | |
| waits in training, an epoch | 1 | 1 | 1 | |
| other launches, a step | 1 | 1 | 1 | |
| launches that update the weights | 1 | 1 | 1 | |
| work, a step | 1 | 1 | 1 | |
| more alive after each step | 1 | 1 | 1 | |
| recorded in an evaluation | 1 | 1 | 1 | |
| written in an epoch | 1 | 1 | 1 | |
| images at once in evaluation | 1 | 1 | 1 | |
| collectives, a step | 1 | 1 | 1 | |

Leaderboard: no
'''
