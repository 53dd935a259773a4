//! How is a SOCKS5 proxy asked for a connection? (RFC 1928, and RFC 1929 for user and password.)

use super::fault::ConnectFault;
use std::io;
use std::net::IpAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const VERSION: u8 = 5;
const LOGIN_VERSION: u8 = 1;
const NO_LOGIN: u8 = 0;
const PASSWORD: u8 = 2;
const CONNECT: u8 = 1;
const RESERVED: u8 = 0;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;
const GRANTED: u8 = 0;

/// Replies of a proxy that say that the site, not the proxy, is out of reach: network, host, refused.
const UNREACHABLE: [u8; 3] = [3, 4, 5];

/// User and password, each at most 255 bytes.
#[derive(Clone)]
pub(super) struct Login {
    pub(super) user: Vec<u8>,
    pub(super) password: Vec<u8>,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login(..)")
    }
}

/// What the proxy is to connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target<'a> {
    /// An address that was resolved and judged here.
    Address(IpAddr),
    /// A name that the proxy resolves.
    Name(&'a str),
}

/// Asks the proxy at the other end of `tcp` for a connection; after that `tcp` is the connection.
///
/// # Errors
/// If the proxy breaks off or speaks something else, wants another login, or cannot reach the target.
pub(super) async fn connect(
    tcp: &mut TcpStream,
    login: Option<&Login>,
    target: Target<'_>,
    port: u16,
) -> Result<(), ConnectFault> {
    greet(tcp, login).await?;
    let request = request(target, port).ok_or(ConnectFault::ProxyRefused)?;
    tcp.write_all(&request).await.map_err(ConnectFault::ProxyIo)?;
    let [version, reply, _, kind] = read(tcp).await?;
    if version != VERSION {
        return Err(ConnectFault::ProxyRefused);
    }
    if UNREACHABLE.contains(&reply) {
        return Err(ConnectFault::Dial(io::ErrorKind::ConnectionRefused.into()));
    }
    if reply != GRANTED {
        return Err(ConnectFault::ProxyRefused);
    }
    // The address that the proxy connects from is of no use to us, but stands in the way.
    let bound = match kind {
        IPV4 => 4,
        IPV6 => 16,
        NAME => usize::from(read::<1>(tcp).await?[0]),
        _ => return Err(ConnectFault::ProxyRefused),
    };
    let mut rest = vec![0; bound + 2];
    tcp.read_exact(&mut rest).await.map(drop).map_err(ConnectFault::ProxyIo)
}

async fn greet(tcp: &mut TcpStream, login: Option<&Login>) -> Result<(), ConnectFault> {
    let hello: &[u8] = match login {
        Some(_) => &[VERSION, 2, NO_LOGIN, PASSWORD],
        None => &[VERSION, 1, NO_LOGIN],
    };
    tcp.write_all(hello).await.map_err(ConnectFault::ProxyIo)?;
    match (read(tcp).await?, login) {
        ([VERSION, NO_LOGIN], _) => Ok(()),
        ([VERSION, PASSWORD], Some(login)) => {
            let mut request = vec![LOGIN_VERSION];
            for part in [&login.user, &login.password] {
                request.push(u8::try_from(part.len()).map_err(|_| ConnectFault::ProxyRefused)?);
                request.extend_from_slice(part);
            }
            tcp.write_all(&request).await.map_err(ConnectFault::ProxyIo)?;
            let [_, status] = read(tcp).await?;
            if status == GRANTED { Ok(()) } else { Err(ConnectFault::ProxyRefused) }
        }
        _ => Err(ConnectFault::ProxyRefused),
    }
}

fn request(target: Target<'_>, port: u16) -> Option<Vec<u8>> {
    let mut request = vec![VERSION, CONNECT, RESERVED];
    match target {
        Target::Address(IpAddr::V4(ip)) => {
            request.push(IPV4);
            request.extend_from_slice(&ip.octets());
        }
        Target::Address(IpAddr::V6(ip)) => {
            request.push(IPV6);
            request.extend_from_slice(&ip.octets());
        }
        Target::Name(name) => {
            request.push(NAME);
            request.push(u8::try_from(name.len()).ok()?);
            request.extend_from_slice(name.as_bytes());
        }
    }
    request.extend_from_slice(&port.to_be_bytes());
    Some(request)
}

async fn read<const N: usize>(tcp: &mut TcpStream) -> Result<[u8; N], ConnectFault> {
    let mut bytes = [0; N];
    tcp.read_exact(&mut bytes).await.map_err(ConnectFault::ProxyIo)?;
    Ok(bytes)
}
