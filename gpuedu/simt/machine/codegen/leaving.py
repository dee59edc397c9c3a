"""Which statements threads may leave, and for where."""

from __future__ import annotations

from gpuedu.simt.program import Break, Continue, If, Loop, Return, Statement


def may_leave(statement: Statement) -> bool:
    """Whether threads may be gone after a statement that were there before it."""
    match statement:
        case Break() | Continue() | Return():
            return True
        case If(then=then, orelse=orelse):
            return any(map(may_leave, then)) or any(map(may_leave, orelse))
        case Loop(body=body, test=test):
            return any(map(returns, [*body, *test]))
    return False


def returns(statement: Statement) -> bool:
    """Whether threads may leave the function in a statement."""
    match statement:
        case Return():
            return True
        case If(then=then, orelse=orelse):
            return any(map(returns, [*then, *orelse]))
        case Loop(body=body, test=test):
            return any(map(returns, [*body, *test]))
    return False


def continues(statement: Statement) -> bool:
    """Whether threads may go to the next turn of the loop in a statement."""
    match statement:
        case Continue():
            return True
        case If(then=then, orelse=orelse):
            return any(map(continues, [*then, *orelse]))
    return False
