"""communication.json and its kin: what each collective did, and each link."""
