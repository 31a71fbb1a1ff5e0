"""Words: smi (live readings and their options)."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "options.lang": "language of all text (default: from the locale)",
    "options.ascii": "write nothing but ASCII (default where the locale is not UTF-8)",
    "options.color": "colour codes in the output (default: auto, and NO_COLOR is respected)",
    "options.npu-smi": "run CMD instead of npu-smi; also NPUSCOPE_NPU_SMI",
    "options.source": "where readings come from: npu-smi (default) or replay:FILE",
    "options.interval": "seconds between two readings (default: 1)",
    "options.bad-seconds": (
        "{word} is not a number of seconds from {least:one} to {most:int}; write for example --interval 2"
    ),
    "options.bad-count": "{word} is not a whole number from 1 on; write for example 10",
    "options.bad-source": "{word} is not a source; write npu-smi or replay:FILE",
}
