//! memconf tells whether a handler of Claude's memory tool does what it should.

pub mod case;
pub mod event;
pub mod fixtures;
pub mod fuzz;
pub mod judge;
pub mod reference;
pub mod report;
pub mod runner;
pub mod sandbox;
pub mod transport;
pub mod wire;

pub use runner::Suite;
pub use transport::Handler;
