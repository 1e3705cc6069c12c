"""One file per module; its name is the module's name in a playbook.

A module declares `Args` and is one of three kinds:

    converge   check(args, host) -> Diff      reads only; an empty Diff means: as wanted
               apply(args, diff, host)        the only writer; may return more result values as a dict
    read       read(args, host) -> dict       never changes anything (stat, setup, slurp)
    run        run(args, host) -> dict        changes by nature (command, shell); answers `changed` itself

`ringup.agent.task` owns check mode, diff mode and error capture.
"""
