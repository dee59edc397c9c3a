"""In the tab: run pytest with these arguments."""

import os
import sys

OPTIONS = "--rootdir=/repo --capture=sys -p no:cacheprovider -p no:faulthandler -p tests.tab.in_tab"


def main() -> int:
    """The status of pytest."""
    from tests.tab import numba_names, pure

    pure.admit()
    numba_names.install()
    os.chdir("/repo")

    import pytest

    return pytest.main([*OPTIONS.split(), *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
