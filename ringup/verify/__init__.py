"""The proof: a cross-node all-reduce whose sums are checked and whose bandwidth is measured, with time limits and a clean end.

worker.py        the program each rank runs on the hosts, with the users' own torch; never imported here
plan.py          what is run: sizes, types, limits          fill.py         the numbers that make a wrong sum visible
measurement.py   what came out: algbw, busbw, sums, blame   stages.py       preflight, launch, clean-up over the hosts
environment.py   is each host's torch what its hardware asks for
"""
