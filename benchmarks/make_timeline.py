"""Makes a big timeline for the benchmarks: usage make_timeline.py FILE [MEGABYTES] [SEED].

A bare array in msprof's own style: names of processes and threads first, then host calls and device tasks with `ts` as
text, the flows between them, AI Core frequencies and the lanes of Overlap Analysis. The events are made up; the same
seed makes the same file.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

CANN, HARDWARE, FREQUENCY, OVERLAP = 196_075_775, 196_076_448, 196_076_512, 196_077_000
LANES = ("Computing", "Communication", "Communication(Not Overlapped)", "Free")
STREAMS = (2, 3, 41)
NAMES = [f"aclnn{kind}_{kind}Common_{kind}" for kind in ("MatMulV3", "Add", "RmsNorm", "Cast", "SwiGlu", "Softmax")]


def _names() -> Iterator[str]:
    for pid, name in ((CANN, "CANN"), (HARDWARE, "Ascend Hardware"), (FREQUENCY, "AI Core Freq"),
                      (OVERLAP, "Overlap Analysis")):  # fmt: skip
        yield f'{{"name":"process_name","pid":{pid},"tid":0,"ph":"M","args":{{"name":"{name}"}}}}'
    for stream in STREAMS:
        yield (f'{{"name":"thread_name","pid":{HARDWARE},"tid":{stream},"ph":"M","args":{{"name":"Stream {stream}"}}}}')
    for number, lane in enumerate(LANES):
        yield f'{{"name":"thread_name","pid":{OVERLAP},"tid":{number},"ph":"M","args":{{"name":"{lane}"}}}}'


def _events(chance: random.Random) -> Iterator[str]:
    start, number = 1_760_000_000_000_000, 0
    while True:
        number += 1
        took = chance.uniform(2, 300)
        start += int(took) + chance.randint(1, 8)
        at, stream = f'"ts":"{start}.{chance.randint(0, 999):03d}"', STREAMS[number % 3]
        name, host = NAMES[number % len(NAMES)], f'"pid":{CANN},"tid":191480'
        device = f'"pid":{HARDWARE},"tid":{stream}'
        flow = f'"name":"HostToDevice{number}","cat":"HostToDevice","id":"{number}"'
        lane = 0 if number % 7 else 1
        if number % 5000 == 0:
            yield f'{{"name":"AI Core Freq","pid":{FREQUENCY},"tid":0,{at},"ph":"C","args":{{"MHz":1650}}}}'
        args = f'"Thread Id":191480,"Mode":"ACL_OP","level":"acl","id":"{name}","item_id":"0","connection_id":{number}'
        yield f'{{"name":"AscendCL@{name}",{host},{at},"dur":{took / 3:.3f},"ph":"X","args":{{{args}}}}}'
        yield f'{{{flow},"ph":"s",{host},{at}}}'
        args = (
            f'"Model Id":4294967295,"Task Type":"AI_VECTOR_CORE","Physic Stream Id":{stream},"Task Id":{number % 65536}'
        )
        args += f',"Batch Id":0,"Subtask Id":4294967295,"connection_id":{number}'
        yield f'{{"name":"{name}",{device},{at},"dur":{took:.3f},"ph":"X","args":{{{args}}}}}'
        yield f'{{{flow},"ph":"f",{device},{at},"bp":"e"}}'
        yield f'{{"name":"{LANES[lane]}","pid":{OVERLAP},"tid":{lane},{at},"dur":{took:.3f},"ph":"X","args":{{}}}}'


def make(path: Path, megabytes: int = 600, seed: int = 1) -> None:
    """Write the file."""
    chance = random.Random(seed)
    written = 1
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write("[" + ",".join(_names()))
        for event in _events(chance):
            written += out.write("," + event)
            if written >= megabytes * 1_000_000:
                break
        out.write("]")


if __name__ == "__main__":
    make(Path(sys.argv[1]), *(int(word) for word in sys.argv[2:4]))
