"""What a database adds to the profile of its run besides operators: the chip, the rank, calls of the host."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from npuscope.parsers.msprof.databases.msprof_db import Database
from npuscope.parsers.msprof.extras import HOST_CALLS, TRACE_CALLS
from npuscope.parsers.profile import Metadata, Profile


def with_database(metadata: Metadata, database: Database | None) -> Metadata:
    """The metadata with what only the database knows."""
    if database is None:
        return metadata
    return dataclasses.replace(
        metadata,
        chip=metadata.chip or database.chip,
        family=metadata.family or database.family,
        cann=metadata.cann or database.cann,
        rank=database.rank if metadata.rank is None else metadata.rank,
        devices=metadata.devices or database.devices,
    )


def with_host_calls(profile: Profile, database: Database | None) -> Profile:
    """The database's where no api_statistic lies beside it, else those that the timeline shows."""
    if "api_statistic" in profile.extras:
        return profile
    calls, source = (
        (None, "") if database is None else (database.host_calls, f"{Path(database.operators.path).name}:CANN_API")
    )
    if calls is None and TRACE_CALLS in profile.extras:
        calls, source = profile.extras[TRACE_CALLS], profile.sources.get(TRACE_CALLS, "")
    if calls is None:
        return profile
    extras = {**profile.extras, "api_statistic": calls}
    return dataclasses.replace(profile, extras=extras, sources={**profile.sources, HOST_CALLS: source})
