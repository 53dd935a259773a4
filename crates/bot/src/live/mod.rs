//! How is the live web asked?
