//! What did the archive answer?
