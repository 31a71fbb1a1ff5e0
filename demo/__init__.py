"""The recorded box behind `npuscope demo`."""
