//! How is a content coding undone without being blown up?
