//! Just enough HTTP/1.1 for agent programs on loopback: one request a connection, replies whole or as
//! server-sent events. `api.rs` accepts the connections; nothing here knows what is asked or answered.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// Far above any prompt of an agent program (100 to 300 KiB); more is a fault.
const MAX_BODY: usize = 64 << 20;

pub struct Call {
    pub method: String,
    pub path: String,
    pub body: Value,
}

/// Reads one request; `None` if the client closed without one.
pub fn read(stream: &TcpStream) -> io::Result<Option<Call>> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_string);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut length, mut chunked, mut expects) = (0, false, false);
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().map_err(io::Error::other)?,
            ("transfer-encoding", value) => chunked = value.eq_ignore_ascii_case("chunked"),
            ("expect", _) => expects = true,
            _ => {}
        }
    }
    if expects {
        (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let bytes = if chunked { read_chunks(&mut reader)? } else { read_exactly(&mut reader, length)? };
    // A body that is not JSON (a compressed one, an empty one) is none of ours to answer by content.
    Ok(Some(Call { method, path, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }))
}

fn read_exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(io::Error::other(format!("a body of {length} bytes")));
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
        body.extend(read_exactly(reader, length)?);
        read_exactly(reader, 2)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

/// A whole reply.
pub fn reply(mut stream: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        if status == 200 { "OK" } else { "Error" },
        body.len(),
    )
}

/// A reply as server-sent events, one JSON value each.
pub struct Events<'a> {
    stream: &'a TcpStream,
    /// Some protocols repeat the value's `type` as the event's name.
    named: bool,
}

impl<'a> Events<'a> {
    pub fn begin(mut stream: &'a TcpStream, named: bool) -> io::Result<Events<'a>> {
        stream.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\nconnection: close\r\n\r\n",
        )?;
        Ok(Events { stream, named })
    }

    pub fn send(&mut self, value: &Value) -> io::Result<()> {
        let name = value["type"].as_str().filter(|_| self.named);
        let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        self.stream.write_all(format!("{name}data: {value}\n\n").as_bytes())
    }
}
