use super::*;

const LEAST: &str = "authority = \"example.org\"\nupstream = \"http://127.0.0.1:8080\"\n";

#[test]
fn two_lines_are_a_configuration() {
    let config = Config::parse(LEAST).unwrap();
    assert_eq!(config.upstream(), Ok(Upstream::Tcp("127.0.0.1:8080".parse().unwrap())));
    assert!(!config.open && config.engines.is_empty() && config.files.is_none());
    assert_eq!(config.limits.limits().mem_mib, 64);
    assert_eq!(config.origin(), "https://example.org");
}

#[test]
fn what_is_written_is_read_again() {
    let config = Config::parse(LEAST).unwrap();
    let text = toml::to_string(&config).unwrap();
    let again = Config::parse(&text).unwrap();
    assert_eq!(toml::to_string(&again).unwrap(), text);
}

#[test]
fn a_mistake_is_told_with_its_line() {
    for (text, told) in [
        ("colour = \"red\"\n", "line 3: unknown field `colour`"),
        ("[limits]\nwall = \"5\"\n", "line 4: `5` is no length of time"),
        ("[limits]\npages = 0\n", "no limit of [limits] can be zero"),
        ("deny = [\"admin\"]\n", "`admin` is no path prefix"),
        ("max_body = \"1GiB\"\n", "max_body is at most 16MiB"),
    ] {
        let error = Config::parse(&format!("{LEAST}{text}")).unwrap_err();
        assert!(error.starts_with(told), "{error}");
    }
}

#[test]
fn the_web_server_is_an_address_and_never_a_name() {
    let at = |upstream: &str| {
        Config::parse(&format!("authority = \"a\"\nupstream = \"{upstream}\"")).is_ok()
    };
    for good in ["http://127.0.0.1", "http://localhost:81", "http://[::1]:80/", "unix:/run/w"] {
        assert!(at(good), "{good}");
    }
    for bad in ["http://example.org", "https://127.0.0.1", "127.0.0.1:80", "http://u@127.0.0.1"] {
        assert!(!at(bad), "{bad}");
    }
}
