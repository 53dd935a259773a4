//! What does a person read when something is wrong? One line and a hint, and the right exit status; and
//! what was done before is not lost.

use crate::support::*;
use lycosa_lab::synthetic::Shape;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = dir.join(name);
    std::fs::write(&path, content).expect("written");
    text(&path).to_owned()
}

#[test]
fn an_unknown_flag_or_command_gets_a_suggestion() {
    run(["crawl", "--paegs", "3"]).fails_with(&["--paegs", "--pages"], "--help");
    run(["serach", "x"]).fails_with(&["serach", "search"], "--help");
    run(["crawl", "http://a.test/", "--delay", "fast"]).fails_with(&["fast", "500ms"], "--help");
    run(["crawl", "http://a.test/", "--pages", "many"]).fails_with(&["many", "--pages"], "--help");
    run(["crawl", "http://a.test/", "--scope", "all"]).fails_with(&["all", "domain"], "--help");
    run(["search", "x", "--lang", "klingon"]).fails_with(&["klingon", "es"], "--help");
    run(["search"]).fails_with(&["not provided: <QUERY>"], "--help");
    run(["search", "x", "--block", "a b"])
        .fails_with(&["`a b` is no site", "example.org"], "--help");
    run(["--help"]).exits(0);
    assert!(run(["--version"]).exits(0).stdout.starts_with("lycosa "));
}

#[test]
fn an_unknown_key_of_the_configuration_is_named_with_its_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let config = write(dir.path(), "my.toml", "contact = \"me\"\n\n[crawl]\ndelaj = \"1s\"\n");
    let data = dir.path().join("data");
    let crawl = ["crawl", "http://a.test/", "--data", text(&data), "--config"];
    let with = |config: &str| run(crawl.iter().copied().chain([config]));
    with(&config).fails_with(&["my.toml:4", "delaj"], "delay");
    let config = write(dir.path(), "my.toml", "[craw]\n");
    with(&config).fails_with(&["my.toml:1", "craw"], "crawl");
    let config = write(dir.path(), "my.toml", "[crawl]\ndelay = 5\n");
    with(&config).fails_with(&["my.toml:2"], "");
    let config = write(dir.path(), "my.toml", "[crawl\n");
    with(&config).fails_with(&["my.toml:1"], "");
    with("nowhere.toml").fails_with(&["nowhere.toml", "No such file"], "--config");
    assert!(!data.exists(), "nothing was begun");
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_reason() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| text(&dir.path().join(name)).to_owned();
    let data = path("data");
    let crawl = |arguments: &[&str]| run(["crawl", "--data", &data].iter().chain(arguments));
    crawl(&["--seeds", &path("no.txt")]).fails_with(&["no.txt", "No such file"], "one URL a line");
    crawl(&["--seeds", text(dir.path())]).fails_with(&["directory"], "");
    let seed = "http://a.test/";
    crawl(&[seed, "--replay", &path("no.warc.gz")]).fails_with(&["no.warc.gz", "No such file"], "");
    let garbage = write(dir.path(), "garbage.warc.gz", "this is no archive at all\n".repeat(100));
    crawl(&[seed, "--replay", &garbage]).fails_with(&["garbage.warc.gz"], "");
    let empty = write(dir.path(), "empty.warc.gz", "");
    crawl(&[seed, "--replay", &empty]).fails_with(&["empty.warc.gz"], "");
    // Whether there is a contact does not matter where nobody else is asked.
    let examples = [seed, "--allow-private", "--examples", &path("no.list")];
    crawl(&examples).fails_with(&["no.list", "No such file"], "");
    let trace = [seed, "--allow-private", "--trace", &path("none/trace.jsonl")];
    crawl(&trace).fails_with(&["none/trace.jsonl", "No such file"], "");
    for command in [["import", "jsonl"], ["import", "warc"], ["import", "urls"]] {
        let [import, what] = command;
        let file = path("none");
        run([import, what, &file, "--data", &data]).fails_with(&["none", "No such file"], "");
    }
    let rows = write(dir.path(), "rows.jsonl", "{\"id\": \"1\", \"text\": \"a\"}\nnonsense\n");
    run(["import", "jsonl", &rows, "--data", &data]).fails_with(&["rows.jsonl:2"], "\"id\"");
    run(["inspect", "page", &path("none.html")]).fails_with(&["none.html", "No such file"], "");
    run(["inspect", "warc", &garbage]).fails_with(&["garbage.warc.gz"], "");
    run(["replay", &garbage, "--data", &data]).fails_with(&["garbage.warc.gz"], "");
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = text(&dir.path().join("data")).to_owned();
    let crawl = |arguments: &[&str]| run(["crawl", "--data", &data].iter().chain(arguments));
    crawl(&["http://a.test/", "--store-only-lang"]).fails_with(&["language"], "--lang");
    crawl(&["http://a.test/", "--strategy", "clever"])
        .fails_with(&["clever"], "breadth-first, best-first");
    crawl(&[]).fails_with(&["nowhere to begin"], "--resume");
    crawl(&["--resume"]).fails_with(&["no crawl to resume"], "--data");
    crawl(&["http://a.test/", "--proxy", "not an address"]).fails_with(&["proxy"], "http://");
    run(["search", "x", "--data", &data]).fails_with(&[&data], "");
    run(["status", "--data", &data]).fails_with(&["no crawl"], "--data");
    run(["export", "urls", "--data", &data]).fails_with(&["no crawl"], "--data");
    run(["export", "warc", "--data", &data]).fails_with(&["no archive"], "--data");
    run(["url", "nonsense", "--data", &data]).fails_with(&["nonsense"], "");
    assert_eq!(run(["agents", "--json", "--data", &data]).exits(1).stdout, "[]\n");
    run(["serve", "--listen", "nowhere", "--data", &data]).fails_with(&["nowhere"], "--listen");
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = taken.local_addr().expect("bound").to_string();
    run(["serve", "--listen", &address, "--data", &data]).fails_with(&[&address], "--listen");
}

#[test]
fn seeds_that_give_nothing_are_listed_with_their_reasons() {
    let dir = tempfile::tempdir().expect("a folder");
    // A port that nobody listens on: it was ours a moment ago.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let closed = format!("http://{}/", listener.local_addr().expect("bound"));
    drop(listener);
    let data = dir.path().join("data");
    let crawl = |arguments: &[&str]| {
        let common = ["crawl", "--data", text(&data), "--delay", "0s"];
        run(common.iter().chain(arguments)).exits(1)
    };
    let told = crawl(&["--json", "--allow-private", &closed]).json();
    assert_eq!((&told["pages"], &told["seeds"][0]["url"]), (&0.into(), &closed.as_str().into()));
    assert!(told["seeds"][0]["reason"].to_string().contains("connect"), "{told}");
    let private = "http://127.0.0.1/";
    let told = crawl(&["--json", private, "http://[::1]:8080/", "http://169.254.169.254/"]).json();
    let seeds = told["seeds"].as_array().expect("a table");
    assert_eq!(seeds.len(), 3);
    assert!(seeds.iter().all(|seed| seed["reason"].to_string().contains("private")), "{told}");
    let told = crawl(&[private, "ftp://a.test/"]).stdout;
    let row = |url: &str| told.lines().find(|line| line.trim_start().starts_with(url));
    assert!(row(private).is_some_and(|row| row.contains("private")), "{told}");
    assert!(row("ftp://").is_some(), "{told}");
    let told = crawl(&["ftp://a.test/"]).stdout;
    assert!(!told.contains("outcomes"), "nothing was tried: {told}");
    let ran = run(["export", "warc", "--data", text(&data)]).exits(1);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("nothing to give out"), "{}", ran.stderr);
}

#[test]
fn an_address_that_is_taken_is_told_with_the_flag_that_chooses_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let taken = listener.local_addr().expect("bound").to_string();
    let data = dir.path().join("data");
    let on = |arguments: &[&str]| run(arguments.iter().chain(&["--data", text(&data)]));
    let broker = ["agent", "broker", "--listen", "127.0.0.1:0", "--urlfrontier", &taken];
    on(&broker).fails_with(&[&taken, "in use"], "--urlfrontier");
    on(&["serve", "--listen", &taken]).fails_with(&[&taken, "in use"], "--listen");
    let config = write(dir.path(), "my.toml", "contact = \"https://a.test/\"\n");
    let crawl = ["crawl", "http://a.test/", "--config", &config, "--metrics", &taken];
    on(&crawl).fails_with(&[&taken, "in use"], "--metrics");
}

#[test]
fn a_data_folder_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = write(dir.path(), "file", "");
    let crawl = |data: &str| run(["crawl", "http://a.test/", "--data", data]);
    crawl(&file).fails_with(&[&file, "data folder"], "it is a file");
    crawl(&format!("{file}/below")).fails_with(&["file/below"], "it is a file");
    // Nobody may write there, not even root.
    crawl("/proc/lycosa").fails_with(&["/proc/lycosa"], "can be written");
    run(["status", "--data", &file]).fails_with(&["there is no crawl in", &file], "--data");
    let foreign = dir.path().join("foreign");
    std::fs::create_dir(&foreign).expect("a folder");
    write(&foreign, "diary.txt", "dear diary");
    run(["demo", "--no-serve", "-q", "--data", text(&foreign)]).fails_with(&["foreign"], "--data");
    assert!(foreign.join("diary.txt").exists(), "the demo clears only what is its own");
}

/// A live crawl that takes long enough to be disturbed.
struct Slow {
    web: LiveWeb,
    data: PathBuf,
    trace: PathBuf,
    config: String,
}

impl Slow {
    fn new(dir: &Path, seed: u64) -> Slow {
        let web = LiveWeb::serve(seed, Shape::demo());
        let config = write(dir, "config.toml", IMPATIENT);
        Slow { web, data: dir.join("data"), trace: dir.join("trace.jsonl"), config }
    }

    fn start(&self, delay: &str) -> Running {
        let mut command = lycosa(["crawl", "--json", "-q", "--scope", "any", "--allow-private"]);
        command.args(["--delay", delay, "--config", &self.config]);
        command.args(["--data", text(&self.data), "--trace", text(&self.trace)]);
        command.args(&self.web.facts.fronts);
        if self.trace.exists() {
            command.arg("--resume");
        }
        Running::start(command)
    }

    fn wait_for_pages(&self, pages: usize) {
        until("pages", || (data::lines_in(&self.trace) >= pages).then_some(()));
    }

    /// Asserts that everything is there once.
    fn check(&self) {
        let facts = &self.web.facts;
        let kept = archived(&self.data);
        assert!(
            kept.pages.keys().eq(facts.pages.iter().collect::<std::collections::BTreeSet<_>>())
        );
        assert!(kept.pages.values().all(|copies| *copies == 1));
        data::check_indexed(&self.data, facts);
    }
}

#[test]
fn a_second_process_on_the_same_folder_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let slow = Slow::new(dir.path(), 31);
    let first = slow.start("200ms");
    slow.wait_for_pages(5);
    let pid = first.id().to_string();
    let second = ["crawl", "http://a.test/", "--data", text(&slow.data)];
    run(second).fails_with(&["in use", &pid], "--data");
    run(["import", "urls", &slow.config, "--data", text(&slow.data)])
        .fails_with(&["in use", &pid], "");
    run(["demo", "--no-serve", "-q", "--data", text(&slow.data)]).fails_with(&["in use"], "");
    first.kill();
    // A kill leaves no lock behind.
    slow.start("0s").finish().exits(0);
    slow.check();
}

#[test]
fn an_interrupted_crawl_stops_soon_and_goes_on_later() {
    let dir = tempfile::tempdir().expect("a folder");
    let slow = Slow::new(dir.path(), 32);
    for signal in ["INT", "TERM"] {
        let crawl = slow.start("200ms");
        let before = data::lines_in(&slow.trace);
        slow.wait_for_pages(before + 20);
        let begun = std::time::Instant::now();
        crawl.signal(signal);
        let told = crawl.finish().exits(1).json();
        let took = begun.elapsed();
        assert!(took < std::time::Duration::from_secs(2), "{signal}: {took:?}");
        assert_eq!(told["finished"], false, "{told}");
        assert!(told["queued"].as_u64() > Some(0), "{told}");
    }
    let told = slow.start("0s").finish().exits(0).json();
    assert_eq!(
        (&told["finished"], &told["pages"]),
        (&true.into(), &slow.web.facts.pages.len().into())
    );
    slow.check();
    assert!(slow.web.facts.pages.iter().all(|page| slow.web.visits()[page] <= 2));
}

#[test]
fn a_person_is_told_how_to_go_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let slow = Slow::new(dir.path(), 33);
    let mut command = lycosa(["crawl", "--scope", "any", "--allow-private", "--delay", "200ms"]);
    command.args(["--data", text(&slow.data), "--trace", text(&slow.trace)]);
    let crawl = Running::start({
        command.args(&slow.web.facts.fronts);
        command
    });
    slow.wait_for_pages(5);
    crawl.signal("INT");
    let ran = crawl.finish().exits(1);
    assert!(ran.stdout.contains("pages fetched"), "{}", ran.stdout);
    assert!(ran.stderr.contains("lycosa crawl --resume --data"), "{}", ran.stderr);
}

#[test]
fn a_second_interrupt_ends_the_program_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let archive = dir.path().join("web");
    // A replay that is busy from end to end, so that the first interrupt needs a moment.
    let (archive, facts) =
        kept_web(34, Shape::large(8, 400), lycosa_lab::synthetic::Naming::plain(), &archive);
    let (data, trace) = (dir.path().join("data"), dir.path().join("trace.jsonl"));
    let mut command = lycosa(["crawl", "-q", "--scope", "any", "--replay", text(&archive)]);
    command.args(["--data", text(&data), "--trace", text(&trace), &facts.fronts[0]]);
    let crawl = Running::start(command);
    until("pages", || (data::lines_in(&trace) >= 50).then_some(()));
    let begun = std::time::Instant::now();
    crawl.signal("INT");
    crawl.signal("INT");
    let code = crawl.finish().code;
    assert!(begun.elapsed() < std::time::Duration::from_secs(2));
    assert!(matches!(code, Some(1 | 130)), "at once, or it had stopped already: {code:?}");
    let resume = ["crawl", "-q", "--resume", "--data", text(&data)];
    run(resume).exits(0);
    assert_eq!(archived(&data).pages.len(), facts.pages.len());
}

/// Runs a command on a file system with so little room. What is on it afterwards is copied out.
fn on_a_small_disk(dir: &Path, size: &str, command: &str) -> Option<Ran> {
    let disk = dir.join("disk");
    std::fs::create_dir(&disk).expect("a folder");
    let (disk, out) = (text(&disk), text(dir));
    let script = format!(
        "mount -t tmpfs -o size={size} none '{disk}' || exit 99; {command}; code=$?; \
         cp -a '{disk}/data' '{out}/data'; exit $code"
    );
    let mut shell = Command::new("unshare");
    shell.args(["-rm", "sh", "-c", &script]).stdin(Stdio::null());
    let works = Command::new("unshare").args(["-rm", "true"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        skip("no file system of our own can be mounted here (unshare -rm)");
        return None;
    }
    let ran = Running::start(shell).finish();
    if ran.code == Some(99) {
        skip("no file system of our own can be mounted here (mount -t tmpfs)");
        return None;
    }
    Some(ran)
}

#[test]
fn a_full_disk_stops_the_crawl_cleanly_and_nothing_is_lost() {
    // Each of them fails in another place: records, archive or index.
    for size in ["1m", "1400k", "1700k", "2400k", "3m"] {
        let dir = tempfile::tempdir().expect("a folder");
        let slow = Slow::new(dir.path(), 36);
        let fronts = slow.web.facts.fronts.join("' '");
        let command = format!(
            "'{}' crawl -q --scope any --allow-private --delay 0s --config '{}' \
             --data '{}/disk/data' '{fronts}'",
            env!("CARGO_BIN_EXE_lycosa"),
            slow.config,
            text(dir.path())
        );
        let Some(ran) = on_a_small_disk(dir.path(), size, &command) else { return };
        let ran = ran.exits(2);
        let line = ran.errors().into_iter().find(|line| line.starts_with("lycosa: "));
        let line = line.expect("one line says what is wrong");
        // A thread of the index may have died of it, and freed some room by that.
        let told = ["No space left", "is full"].iter().any(|words| line.contains(words));
        assert!(told || ran.stderr.contains("check free space"), "{size}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{size}: {}", ran.stderr);
        let resume = ["crawl", "-q", "--json", "--resume", "--data", text(&slow.data)];
        let told = run(resume).exits(0).json();
        assert_eq!(told["pages"], slow.web.facts.pages.len(), "{size}");
        slow.check();
    }
}
