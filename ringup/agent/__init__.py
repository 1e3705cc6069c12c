"""What runs on hosts: standard library only, Python 3.6 and newer, nothing else of ringup.

The controller uses three things of it: `wire` (the frames), `bundle` (the packed bytes) and `catalogue` (what each module accepts).
"""
