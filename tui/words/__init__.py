"""Every sentence a person reads, one folder a language, one file an area."""
