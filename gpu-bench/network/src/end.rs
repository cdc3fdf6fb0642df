//! One end of a connection: the machine, its interface, and settings of its kernel that limit the speed.
//!
//! Linux tells them in files; elsewhere only the name of the machine and its address are known.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpStream};
use std::path::Path;

use crossover_measured::network::NetworkEnd;
use sysinfo::System;

/// The name of this machine; empty if it has none.
pub(super) fn machine() -> String {
    System::host_name().unwrap_or_default()
}

/// This end of a connection.
pub(super) fn of(stream: &TcpStream) -> NetworkEnd {
    let machine = machine();
    let (Ok(own), Ok(other)) = (stream.local_addr(), stream.peer_addr()) else {
        return NetworkEnd { machine, ..NetworkEnd::default() };
    };
    let own = own.ip().to_canonical();
    let name = interface(own, other.ip().to_canonical());
    let setting = |what: &str| number(&Path::new("/sys/class/net").join(name.as_deref()?).join(what));
    NetworkEnd {
        machine: if machine.is_empty() { own.to_string() } else { machine },
        address: own.to_string(),
        mtu: setting("mtu"),
        line_mbit_per_s: setting("speed"),
        congestion_control: line("/proc/sys/net/ipv4/tcp_congestion_control"),
        interface: name,
    }
}

/// Name of the interface of an address of this machine, over which another address is reached.
fn interface(own: IpAddr, other: IpAddr) -> Option<String> {
    match (own, other) {
        (IpAddr::V4(own), _) if own.is_loopback() => Some("lo".to_owned()),
        // An address of this machine is reached over the loopback interface, too.
        (IpAddr::V4(own), IpAddr::V4(other)) if own == other => Some("lo".to_owned()),
        (IpAddr::V4(_), IpAddr::V4(other)) => route(&fs::read_to_string("/proc/net/route").ok()?, other),
        (IpAddr::V6(own), _) => holder(&fs::read_to_string("/proc/net/if_inet6").ok()?, own),
        (IpAddr::V4(_), IpAddr::V6(_)) => None,
    }
}

/// The interface of the most specific route, from the table of IPv4 routes of Linux: addresses are hexadecimal words in the
/// byte order of the machine.
fn route(table: &str, to: Ipv4Addr) -> Option<String> {
    let to = u32::from_ne_bytes(to.octets());
    let routes = table.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let word = |index: usize| u32::from_str_radix(fields.get(index)?, 16).ok();
        let (destination, mask) = (word(1)?, word(7)?);
        let name = (*fields.first()?).to_owned();
        (to & mask == destination).then_some((mask.count_ones(), name))
    });
    routes.max_by_key(|(bits, _)| *bits).map(|(_, name)| name)
}

/// The interface that has an address, from the table of IPv6 addresses of Linux.
fn holder(table: &str, own: Ipv6Addr) -> Option<String> {
    let wanted = format!("{:032x}", u128::from(own));
    let found = table.lines().find(|line| line.starts_with(&wanted))?;
    found.split_whitespace().nth(5).map(str::to_owned)
}

/// A number above 0; a driver that does not know its speed has -1.
fn number(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.trim().parse().ok().filter(|number: &u32| *number > 0)
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as Linux writes it on a machine with little-endian words; see proc(5).
    const ROUTES: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
eth0\t0002A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
ib0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0
";

    #[cfg(target_endian = "little")]
    #[test]
    fn the_interface_is_that_of_the_most_specific_route() {
        let to = |a, b, c, d| route(ROUTES, Ipv4Addr::new(a, b, c, d));
        assert_eq!(to(192, 168, 2, 7).as_deref(), Some("eth0"));
        assert_eq!(to(10, 9, 8, 7).as_deref(), Some("ib0"));
        assert_eq!(to(1, 1, 1, 1).as_deref(), Some("eth0"));
        assert_eq!(route("no table", Ipv4Addr::LOCALHOST), None);
    }

    #[test]
    fn an_address_of_ipv6_names_its_interface() {
        let table = "00000000000000000000000000000001 01 80 10 80       lo\n\
                     fe80000000000000021122fffe334455 02 40 20 80     eth1\n";
        assert_eq!(holder(table, Ipv6Addr::LOCALHOST).as_deref(), Some("lo"));
        let own = "fe80::211:22ff:fe33:4455".parse().expect("an address");
        assert_eq!(holder(table, own).as_deref(), Some("eth1"));
        assert_eq!(holder(table, Ipv6Addr::UNSPECIFIED), None);
    }
}
