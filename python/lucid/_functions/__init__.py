"""Functions whose Python form differs from the catalog's: overloads, named results, views."""
