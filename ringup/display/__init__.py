"""How a run is shown: listeners of the one stream of events. Each keeps its own state and nobody reads another's.

plain.py        lines, for logs and pipes        json_lines.py   one JSON object an event
live.py         a line per host that moves       report/         one self-contained HTML page
errors.py       where an error is shown, once    recap.py, diff.py, failure.py   texts that several of them print
"""
