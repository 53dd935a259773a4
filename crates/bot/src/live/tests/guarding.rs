use super::*;
use proptest::prelude::*;

#[test]
fn addresses_of_the_internet_are_public() {
    for ip in [
        "1.1.1.1",
        "8.8.8.8",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700:4700::1111",
        "2a00:1450:4001:81b::200e",
        "2001:200::1",
        "2001:4860:4860::8888",
        "64:ff9b::808:808",
        "::ffff:8.8.8.8",
    ] {
        assert!(guard::is_public(ip.parse().unwrap()), "{ip}");
    }
}

#[test]
fn addresses_with_another_purpose_are_not() {
    for ip in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.0",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "168.63.129.16",
        "169.254.0.1",
        "169.254.169.254",
        "172.16.0.0",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "192.168.255.255",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::808:808",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "64:ff9b:1::808:808",
        "100::1",
        "2001::1",
        "2001:0:4136:e378::",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
    ] {
        assert!(!guard::is_public(ip.parse().unwrap()), "{ip}");
    }
}

proptest! {
    /// The standard library's stable predicates are a second opinion.
    #[test]
    fn nothing_that_the_standard_library_calls_private_is_public(bits in any::<u32>()) {
        let ip = Ipv4Addr::from(bits);
        let closed = ip.is_private()
            || ip.is_loopback()
            || ip.is_link_local()
            || ip.is_multicast()
            || ip.is_broadcast()
            || ip.is_documentation()
            || ip.is_unspecified();
        prop_assert!(!(closed && guard::is_public(ip.into())));
        prop_assert_eq!(
            guard::is_public(ip.into()),
            guard::is_public(ip.to_ipv6_mapped().into())
        );
    }
}

#[test]
fn names_known_without_asking_are_recognised() {
    for name in ["localhost", "LocalHost", "a.localhost", "a.b.localhost.", "localhost."] {
        assert!(guard::is_localhost(name), "{name}");
    }
    for name in ["localhost.example", "notlocalhost", "local.host", "", "."] {
        assert!(!guard::is_localhost(name), "{name}");
    }
    assert!(guard::is_nowhere("x.invalid") && guard::is_nowhere("abc.onion."));
    assert!(!guard::is_nowhere("invalid.example"));
}

#[tokio::test]
async fn literal_private_addresses_are_refused_however_they_are_written() {
    let server = Server::answering("HTTP/1.1 200 OK\r\n\r\n").await;
    let port = server.port();
    let web = live(LiveSettings::default());
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "0x7f000001",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::]",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "10.0.0.1",
        "%31%32%37.0.0.1",
        "①②⑦.0.0.1",
        "localhost",
        "a.localhost",
        "localhost.",
    ] {
        for scheme in ["http", "https"] {
            let outcome = web.get(ask(format!("{scheme}://{host}:{port}/"))).await.err();
            assert_eq!(outcome, Some(FetchError::PrivateAddress), "{scheme}://{host}");
        }
    }
    assert_eq!(server.accepted(), 0);
}

#[tokio::test]
async fn a_name_that_resolves_to_a_private_address_is_refused_before_it_is_dialled() {
    let server = Server::answering("HTTP/1.1 200 OK\r\n\r\n").await;
    for address in [[127, 0, 0, 1], [169, 254, 169, 254], [10, 0, 0, 1]] {
        let names = Names::new("rebound.example", [address]);
        let web = LiveWeb::with_resolver(&LiveSettings::default(), names).unwrap();
        let url = format!("http://rebound.example:{}/", server.port());
        let outcome = web.get(ask(url)).await.err();
        assert_eq!(outcome, Some(FetchError::PrivateAddress), "{address:?}");
    }
    assert_eq!(server.accepted(), 0);
}

#[test]
fn only_the_public_addresses_of_a_name_are_dialled() {
    let addresses = |list: &[[u8; 4]]| -> Vec<IpAddr> {
        list.iter().map(|&octets| IpAddr::from(octets)).collect()
    };
    let mixed = addresses(&[[10, 0, 0, 1], [8, 8, 8, 8], [127, 0, 0, 1], [1, 1, 1, 1]]);
    let public = connect::checked(&mixed, false).unwrap();
    assert_eq!(public, addresses(&[[8, 8, 8, 8], [1, 1, 1, 1]]));
    assert_eq!(connect::checked(&mixed, true).unwrap(), mixed);
    assert!(connect::checked(&mixed[..1], false).is_err());
    assert!(connect::checked(&[], true).is_err());
}
