"""Which statements threads may leave, and where they go."""

from __future__ import annotations

from gpuedu.simt.program import Break, Continue, If, Loop, Return, Statement


def may_leave(statement: Statement) -> bool:
    """Whether threads that are there before a statement may be gone after it."""
    match statement:
        case Break() | Continue() | Return():
            return True
        case If(then=then, orelse=orelse):
            return any(map(may_leave, then)) or any(map(may_leave, orelse))
        case Loop(body=body, test=test):
            return any(map(returns, [*body, *test]))
    return False


def returns(statement: Statement) -> bool:
    """Whether threads may leave the function within a statement."""
    match statement:
        case Return():
            return True
        case If(then=then, orelse=orelse):
            return any(map(returns, [*then, *orelse]))
        case Loop(body=body, test=test):
            return any(map(returns, [*body, *test]))
    return False


def continues(statement: Statement) -> bool:
    """Whether threads may go to the loop's next iteration within a statement."""
    match statement:
        case Continue():
            return True
        case If(then=then, orelse=orelse):
            return any(map(continues, [*then, *orelse]))
    return False
