//! Which addresses may a crawler connect to?
//!
//! Pages name addresses, and a page may be hostile: without a guard a crawler is a tool to reach
//! what stands behind its own firewall. Only addresses that the whole Internet can reach are
//! public. The tables follow the IANA special-purpose registries (RFC 6890 and its updates); what
//! is doubtful is refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 blocks that are not the public Internet: first address and prefix length.
const CLOSED_V4: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),          // this network, unspecified
    (Ipv4Addr::new(10, 0, 0, 0), 8),         // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),      // carrier-grade NAT; also a metadata service
    (Ipv4Addr::new(127, 0, 0, 0), 8),        // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32),   // Azure's host agent, a public address by its look
    (Ipv4Addr::new(169, 254, 0, 0), 16),     // link-local; most metadata services
    (Ipv4Addr::new(172, 16, 0, 0), 12),      // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),       // protocol assignments; also a metadata service
    (Ipv4Addr::new(192, 0, 2, 0), 24),       // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),     // 6to4 relays, given up
    (Ipv4Addr::new(192, 168, 0, 0), 16),     // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),      // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),    // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),     // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),        // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),        // reserved
    (Ipv4Addr::new(255, 255, 255, 255), 32), // broadcast
];

/// Blocks inside 2000::/3 that are not the public Internet. Outside it nothing is public but the
/// embedded forms below, so loopback, link-local, unique-local and multicast need no line here.
const CLOSED_V6: [(Ipv6Addr, u32); 4] = [
    // Protocol assignments: Teredo, benchmarks, ORCHID and more.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, given up (RFC 7526): a relay would carry us to the IPv4 address inside.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    // Documentation.
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether the address belongs to the public Internet.
///
/// An IPv4 address in IPv6 clothes is judged by the address inside where the network really takes
/// one to it (IPv4-mapped, and NAT64's well-known prefix, by which an IPv6-only network reaches
/// every IPv4 site). The forms that nobody needs any more (IPv4-compatible, 6to4, Teredo, local
/// NAT64 prefixes) are refused whatever is inside.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let within = |&(first, prefix): &(Ipv4Addr, u32)| {
        let differing = u32::from(ip) ^ u32::from(first);
        differing.leading_zeros() >= prefix
    };
    !CLOSED_V4.iter().any(within)
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    match ip.segments() {
        // ::ffff:0:0/96, IPv4-mapped, and 64:ff9b::/96, NAT64.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        segments if segments[0] & 0xe000 != 0x2000 => false,
        _ => {
            let within = |&(first, prefix): &(Ipv6Addr, u32)| {
                let differing = u128::from(ip) ^ u128::from(first);
                differing.leading_zeros() >= prefix
            };
            !CLOSED_V6.iter().any(within)
        }
    }
}

/// Whether the name stands for this machine by definition (RFC 6761, 6.3): `localhost` and all
/// names under it.
pub fn is_localhost(name: &str) -> bool {
    ends_in_label(name, "localhost")
}

/// Whether the name cannot have an address by definition: `.invalid` (RFC 6761, 6.4) and `.onion`
/// (RFC 7686), which must not even be asked for.
pub fn is_nowhere(name: &str) -> bool {
    ends_in_label(name, "invalid") || ends_in_label(name, "onion")
}

fn ends_in_label(name: &str, label: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or(name);
    last.eq_ignore_ascii_case(label)
}
