//! The reference handler.
