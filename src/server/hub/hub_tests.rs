//! Scripts of events and the effects they must have.
