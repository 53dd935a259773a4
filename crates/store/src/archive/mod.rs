//! How are fetched pages kept? As standard WARC files.
