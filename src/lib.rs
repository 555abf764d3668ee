//! memconf tells whether a handler of Claude's memory tool does what it should.

pub mod case;
pub mod reference;
pub mod transport;
pub mod wire;
