"""`python -m npuscope`."""

from npuscope.cli import main

raise SystemExit(main())
