//! Which addresses are on the open internet.

use super::Reach;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Looks names up, and gives only addresses that may be reached.
pub(super) struct Names(pub(super) Reach);

/// Every address of a name was near.
pub(super) const NOTHING_OPEN: &str = "no address of it is on the open internet";

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let may = |address: &SocketAddr| reach == Reach::Anywhere || is_open(address.ip());
            let open: Vec<SocketAddr> = found.filter(may).collect();
            if open.is_empty() {
                return Err(io::Error::other(NOTHING_OPEN).into());
            }
            Ok(Box::new(open.into_iter()) as Addrs)
        })
    }
}

/// Whether an address belongs to the open internet: neither this machine, nor
/// the network around it, nor anything set aside for other ends.
pub(super) fn is_open(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => is_open_four(four),
        IpAddr::V6(six) => is_open_six(six),
    }
}

/// The ranges of the registry of special-purpose addresses, RFC 6890.
fn is_open_four(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_set_aside = match (a, b, c) {
        (0 | 10 | 127, ..) => true,
        // Carriers' own networks.
        (100, 64..=127, _) => true,
        // Link-local; clouds tell their machines' keys there.
        (169, 254, _) => true,
        (172, 16..=31, _) | (192, 168, _) => true,
        (192, 0, 0 | 2) | (192, 88, 99) | (198, 18 | 19, _) => true,
        (198, 51, 100) | (203, 0, 113) => true,
        // Multicast, and what was never given out.
        (224..=255, ..) => true,
        _ => false,
    };
    !is_set_aside
}

fn is_open_six(address: Ipv6Addr) -> bool {
    let [a, b, c, ..] = address.segments();
    // What carries an address of the older kind leads where that one does.
    let carried = match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            let [.., w, x, y, z] = address.octets();
            Some(Ipv4Addr::new(w, x, y, z))
        }
        [0x2002, high, low, ..] => {
            let ([w, x], [y, z]) = (high.to_be_bytes(), low.to_be_bytes());
            Some(Ipv4Addr::new(w, x, y, z))
        }
        _ => None,
    };
    if let Some(carried) = carried {
        return is_open_four(carried);
    }
    // Global addresses are given out of 2000::/3 only.
    let is_given_out = a & 0xe000 == 0x2000;
    let is_set_aside = match (a, b, c) {
        // Tunnels, benchmarks, documentation and the like.
        (0x2001, 0..=0x1ff, _) | (0x2001, 0xdb8, _) => true,
        (0x3fff, 0..=0xfff, _) => true,
        _ => false,
    };
    is_given_out && !is_set_aside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_open_internet_is_open() {
        let check = |address: &str, open: bool| {
            assert_eq!(is_open(address.parse().expect("an address")), open, "{address}");
        };
        for near in [
            "0.0.0.0",
            "10.0.0.1",
            "127.0.0.1",
            "127.255.0.9",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12:3456::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2002:c0a8:101::1",
            "2001:db8::1",
            "2001::1",
            "3fff::1",
            "100::1",
            "::7f00:1",
        ] {
            check(near, false);
        }
        for open in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            check(open, true);
        }
    }
}
