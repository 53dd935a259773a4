//! What would a made-up web answer?
