"""Claims made measurable: catalog, protocol, runner; torch runs only in the worker's own process."""
