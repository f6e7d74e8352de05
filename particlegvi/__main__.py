"""``python -m particlegvi`` is the same as ``particlegvi``."""

import sys

from particlegvi.cli import main

sys.exit(main())
