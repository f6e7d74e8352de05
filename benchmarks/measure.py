"""Run times as ratios to code that one would write instead.

python benchmarks/measure.py                        all workloads, tables on the terminal
python benchmarks/measure.py --out benchmarks       also results.json and scaling.png
python benchmarks/measure.py --only drle-figure     one of them
"""

from __future__ import annotations

import argparse
import sys

from bench.report import bench


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="these workloads only", nargs="+", metavar="WORKLOAD")
    parser.add_argument("--quick", action="store_true", help="two rounds and smaller sizes, to see whether it works")
    parser.add_argument("--out", help="folder for results.json and scaling.png", metavar="DIR")
    options = parser.parse_args(arguments)
    try:
        bench(options.only, options.quick, options.out)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
