"""Figure to cells, text and table. The only importer of plotext."""
