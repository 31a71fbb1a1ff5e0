"""Text, csv, db and bytes into records. Pure: no subprocess, no threads, no clock."""
