"""What `npuscope report` prints: a run as text, JSON, Markdown or CSV, and one file of a run by itself."""
