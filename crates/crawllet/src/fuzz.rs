//! Does any message break either side?
