//! How do the guests of crawllets become WebAssembly, and are the modules in the tree those of the sources?
//!
//! The compiler is called directly: the sources use no dependency, and so a Debian `rustc` with
//! `libstd-rust-dev-wasm32` and `lld` is as good as a rustup target. Modules are committed, so nobody
//! who does not change a guest needs any of these.

mod module;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::metadata::Workspace;
use crate::shell::{self, Run};
use crate::suite::{self, Answer, Environment};

/// Where the sources are.
const SOURCES: &str = "crates/crawllet-guest";

/// Where the modules are, with the list of their digests.
const MODULES: &str = "crates/crawllet/guests";

/// The list of digests, as `sha256sum` reads it, with who built the modules and from what in front.
const SUMS: &str = "SHA256SUMS";

/// Largest module: what travels with every job should be small.
const MAX_MODULE: usize = 160 << 10;

const TARGET: &str = "wasm32-unknown-unknown";

/// A compiler that may not be on `PATH`: Debian's, beside one from rustup.
const DEBIAN: &str = "/usr/bin/rustc";

/// How code is made: a metered machine counts steps, and modules that a host has are not sent. `s` makes them a sixth
/// smaller and costs a quarter more steps; copies of memory by one step each save a fifth.
const FLAGS: &[&str] = &[
    "--edition=2021",
    "--target=wasm32-unknown-unknown",
    "--remap-path-prefix=crates/crawllet-guest/=",
    "-Copt-level=2",
    "-Ctarget-feature=+bulk-memory",
    "-Cpanic=abort",
    "-Ccodegen-units=1",
    "-Dwarnings",
];

/// For the modules alone. The stack stands in front of the data, so running over it ends the run
/// instead of changing data.
const LINK_FLAGS: &[&str] = &[
    "--crate-type=cdylib",
    "-Clto=fat",
    "-Cstrip=symbols",
    "-Clink-arg=-zstack-size=262144",
    "-Clink-arg=--stack-first",
];

/// A compiler that can make modules.
#[derive(Debug)]
struct Compiler {
    program: PathBuf,
    /// What it says of itself, as `rustc 1.63.0`.
    version: String,
    /// Whether it brings no linker of its own.
    needs_linker: bool,
}

/// Builds all modules, or with `check` builds them elsewhere and compares.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<bool> {
    let Some(compiler) = compiler(workspace) else {
        bail!(
            "no compiler for {TARGET}: `rustup target add {TARGET}`, or on Debian `apt-get install rustc \
             libstd-rust-dev-wasm32 lld`"
        );
    };
    println!("{} at {}", compiler.version, compiler.program.display());
    let built = build(workspace, &compiler)?;
    for (name, bytes) in &built {
        println!("    {name}.wasm: {} bytes", bytes.len());
    }
    let sums = Sums::of(&compiler.version, &sources(workspace)?, workspace, &built)?;
    if !check {
        let folder = workspace.root.join(MODULES);
        std::fs::create_dir_all(&folder)?;
        for (name, bytes) in &built {
            write(&folder.join(format!("{name}.wasm")), bytes)?;
        }
        write(&folder.join(SUMS), sums.to_text().as_bytes())?;
        return Ok(true);
    }
    let kept = committed(workspace)?;
    if kept.compiler != sums.compiler {
        println!(
            "    built by {}, the committed ones by {}: their bytes are not compared",
            sums.compiler, kept.compiler
        );
        return Ok(kept.names() == sums.names());
    }
    let same = kept == sums;
    println!("    {}", if same { "the same bytes" } else { "not what is committed" });
    Ok(same)
}

/// The native tests of the guests, and whether the committed modules are theirs; the step of `test`.
pub(crate) fn test(workspace: &Workspace, environment: &Environment) -> Result<Answer> {
    let manifest = format!("--manifest-path={SOURCES}/Cargo.toml");
    let fmt = Run::cargo(&["fmt", &manifest, "--all", "--check"]);
    let target = format!("--target-dir={}", workspace.scratch()?.join("guests").display());
    let clippy = Run::cargo(&["clippy", &manifest, &target, "--all-targets", "--", "-Dwarnings"]);
    let mut ok = shell::show(workspace, &fmt)?.success();
    ok &= shell::show(workspace, &clippy)?.success();
    let mut answer = suite::run_guests(workspace, &[&manifest, &target], environment)?;
    for fault in faults(workspace)? {
        println!("    {fault}");
        ok = false;
    }
    answer.ok &= ok;
    Ok(answer)
}

/// What is wrong with the committed modules, as far as that can be seen without a compiler.
fn faults(workspace: &Workspace) -> Result<Vec<String>> {
    let kept = committed(workspace)?;
    let mut faults = Vec::new();
    if kept.sources != sources(workspace)? {
        faults.push(format!("{MODULES} was built from other sources: run `cargo xtask guests`"));
    }
    for (name, sum) in &kept.modules {
        let path = workspace.root.join(MODULES).join(format!("{name}.wasm"));
        let bytes = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        if digest(workspace, &path)? != *sum {
            faults.push(format!("{name}.wasm is not what {SUMS} says"));
        }
        if let Err(fault) = module::check(&bytes, MAX_MODULE) {
            faults.push(format!("{name}.wasm: {fault}"));
        }
    }
    if kept.names() != guests(workspace)? {
        faults.push(format!("{SUMS} does not name the guests of {SOURCES}"));
    }
    Ok(faults)
}

/// A rustup target if there is one, else Debian's compiler.
fn compiler(workspace: &Workspace) -> Option<Compiler> {
    ["rustc", DEBIAN].into_iter().find_map(|program| {
        let ask = |args: &[&str]| answer(workspace, program, args).ok();
        let library = ask(&["--print=target-libdir", &format!("--target={TARGET}")])?;
        let mut files = std::fs::read_dir(library.trim()).ok()?.flatten();
        files.find(|file| file.file_name().to_string_lossy().starts_with("libstd-"))?;
        let version = ask(&["--version"])?;
        let version = version.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        Some(Compiler { program: program.into(), version, needs_linker: program == DEBIAN })
    })
}

fn answer(workspace: &Workspace, program: &str, args: &[&str]) -> Result<String> {
    let output = std::process::Command::new(program)
        .args(args)
        .current_dir(&workspace.root)
        .output()
        .with_context(|| format!("starting {program}"))?;
    if !output.status.success() {
        bail!("{program} {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The guests, by name: the folders in `guests`.
fn guests(workspace: &Workspace) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(workspace.root.join(SOURCES).join("guests"))? {
        let entry = entry?;
        if entry.path().join("src/lib.rs").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn build(workspace: &Workspace, compiler: &Compiler) -> Result<Vec<(String, Vec<u8>)>> {
    let out = workspace.scratch()?.join("guests-wasm");
    std::fs::create_dir_all(&out)?;
    let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    if compiler.needs_linker {
        flags.extend(["-Clinker=wasm-ld".to_owned(), "-Clinker-flavor=wasm-ld".to_owned()]);
    }
    let rustc = || Run::new(&compiler.program, &[]).args(&flags);
    let sdk = out.join("libcrawllet_sdk.rlib").display().to_string();
    let to = |path: &str| format!("-o{path}");
    let run = rustc().args(&["--crate-type=rlib", "--crate-name=crawllet_sdk", &to(&sdk)]);
    compile(workspace, &run.args(&[&format!("{SOURCES}/sdk/src/lib.rs")]))?;
    let mut built = Vec::new();
    for name in guests(workspace)? {
        let file = out.join(format!("{name}.wasm")).display().to_string();
        let run = rustc().args(LINK_FLAGS).args(&[
            &format!("--crate-name={name}"),
            &format!("--extern=crawllet_sdk={sdk}"),
            &to(&file),
            &format!("{SOURCES}/guests/{name}/src/lib.rs"),
        ]);
        compile(workspace, &run)?;
        let bytes = std::fs::read(&file).with_context(|| format!("reading {file}"))?;
        let bytes = module::slim(&bytes).with_context(|| format!("{name}.wasm"))?;
        module::check(&bytes, MAX_MODULE).with_context(|| format!("{name}.wasm"))?;
        built.push((name, bytes));
    }
    Ok(built)
}

fn compile(workspace: &Workspace, run: &Run) -> Result<()> {
    match shell::show(workspace, run)?.success() {
        true => Ok(()),
        false => bail!("the compiler failed"),
    }
}

/// A number that stands for all sources that end up in modules: FNV-1a over names and bytes.
fn sources(workspace: &Workspace) -> Result<String> {
    let mut files = Vec::new();
    let root = workspace.root.join(SOURCES);
    let mut folders = vec![root.join("sdk/src")];
    for name in guests(workspace)? {
        folders.push(root.join("guests").join(name).join("src"));
    }
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_test = name == "tests" || name == "tests.rs" || name == "mock.rs";
            match path.is_dir() {
                _ if is_test => {}
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for path in files {
        let name = crate::metadata::slashes(path.strip_prefix(&root)?);
        let bytes = std::fs::read(&path)?;
        for byte in name.bytes().chain([0]).chain(bytes).chain([0]) {
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    Ok(format!("{sum:016x}"))
}

/// What the list of digests says.
#[derive(Debug, PartialEq, Eq)]
struct Sums {
    compiler: String,
    sources: String,
    /// Name and digest.
    modules: Vec<(String, String)>,
}

impl Sums {
    fn of(
        compiler: &str,
        sources: &str,
        workspace: &Workspace,
        built: &[(String, Vec<u8>)],
    ) -> Result<Sums> {
        let mut modules = Vec::new();
        let slim = workspace.scratch()?.join("guests-wasm/slim.wasm");
        for (name, bytes) in built {
            write(&slim, bytes)?;
            modules.push((name.clone(), digest(workspace, &slim)?));
        }
        Ok(Sums { compiler: compiler.to_owned(), sources: sources.to_owned(), modules })
    }

    fn names(&self) -> Vec<String> {
        self.modules.iter().map(|(name, _)| name.clone()).collect()
    }

    fn to_text(&self) -> String {
        let mut out = format!("# {}\n# sources {}\n", self.compiler, self.sources);
        for (name, sum) in &self.modules {
            out.push_str(&format!("{sum}  {name}.wasm\n"));
        }
        out
    }

    fn parse(text: &str) -> Sums {
        let mut sums =
            Sums { compiler: String::new(), sources: String::new(), modules: Vec::new() };
        for line in text.lines() {
            if let Some(sources) = line.strip_prefix("# sources ") {
                sums.sources = sources.to_owned();
            } else if let Some(compiler) = line.strip_prefix("# ") {
                sums.compiler = compiler.to_owned();
            } else if let Some((sum, name)) = line.split_once("  ") {
                sums.modules.push((name.trim_end_matches(".wasm").to_owned(), sum.to_owned()));
            }
        }
        sums
    }
}

fn committed(workspace: &Workspace) -> Result<Sums> {
    let path = workspace.root.join(MODULES).join(SUMS);
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    Ok(Sums::parse(&text))
}

fn digest(workspace: &Workspace, path: &Path) -> Result<String> {
    let line = answer(workspace, "sha256sum", &[&path.display().to_string()])?;
    let sum = line.split_whitespace().next();
    sum.map(str::to_owned).context("sha256sum says nothing")
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_digests_says_who_built_from_what() {
        let sums = Sums {
            compiler: "rustc 1.63.0".to_owned(),
            sources: "00ff".to_owned(),
            modules: vec![("pages".to_owned(), "ab12".to_owned())],
        };
        let text = "# rustc 1.63.0\n# sources 00ff\nab12  pages.wasm\n";
        assert_eq!(sums.to_text(), text);
        assert_eq!(Sums::parse(text), sums);
    }
}
