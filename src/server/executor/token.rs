//! What an agent proves itself with, made anew for each start.
//!
//! Called by the executor alone; nothing else may know one before its agent does.

/// 128 random bits in hexadecimal: cannot be guessed by another process of the same user.
pub fn fresh() -> std::io::Result<String> {
    use std::io::Read;
    let mut bytes = [0u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
