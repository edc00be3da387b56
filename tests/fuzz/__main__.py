import argparse
import random
import sys

from tests.fuzz.campaign import Campaign, run_case


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--case", help="run one case again, as a finding names it")
    options = parser.parse_args()
    if options.case:
        run_case(options.case)
        return 0
    campaign = Campaign(options.seed)
    campaign.run(options.seconds)
    for target, count in campaign.executions.items():
        sys.stdout.write(f"{count:10,} {target}\n")
    total = campaign.executions.total()
    sys.stdout.write(f"{total:10,} executions, seed {campaign.seed}\n")
    sys.stdout.write(f"{len(campaign.findings):10,} findings\n")
    for place, finding in campaign.findings.items():
        sys.stdout.write(f"\n{place}\n{finding}")
    return 1 if campaign.findings else 0


if __name__ == "__main__":
    sys.exit(main())
