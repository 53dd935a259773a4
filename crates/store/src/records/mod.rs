//! What does the broker remember?
