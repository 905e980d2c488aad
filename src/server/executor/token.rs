//! What an agent proves itself with, made anew for each start.
//!
//! Called by the executor alone; nothing else may know one before its agent does. The server's start takes random
//! bits of its own from here.

/// 128 random bits: cannot be guessed by another process of the same user.
pub fn random() -> std::io::Result<[u8; 16]> {
    use std::io::Read;
    let mut bytes = [0u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The same in hexadecimal.
pub fn fresh() -> std::io::Result<String> {
    Ok(random()?.iter().map(|byte| format!("{byte:02x}")).collect())
}
