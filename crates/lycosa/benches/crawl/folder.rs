//! Which pages are served? Debian's manuals, installed if they are missing, or any folder.

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Deepest folder that is looked into.
const MAX_DEPTH: usize = 16;
/// Largest file that is served.
const MAX_FILE: u64 = 16 << 20;

/// One file in memory.
pub(crate) struct File {
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
}

/// The folders of Debian's PostgreSQL and Python manuals; installs what is missing if `install`.
pub(crate) fn manuals(install: bool) -> Result<Vec<PathBuf>> {
    let find = || -> Vec<PathBuf> {
        ["postgresql-doc-", "python3."].into_iter().filter_map(newest).collect()
    };
    let mut found = find();
    if found.len() < 2 && install {
        for packages in [["python3-doc"].as_slice(), &[&postgresql_doc()?]] {
            let mut apt = Command::new("apt-get");
            apt.args(["install", "--yes", "--no-install-recommends"]).args(packages);
            apt.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
            let status = apt.status().context("apt-get")?;
            if !status.success() {
                bail!("apt-get install {packages:?}: {status}; or name a folder by --folder");
            }
        }
        found = find();
    }
    if found.is_empty() {
        bail!("no HTML manuals are installed; name a folder of HTML by --folder");
    }
    Ok(found)
}

/// The manual of the last version among the packages with this prefix.
fn newest(prefix: &str) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/share/doc")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let version = name.strip_prefix(prefix).unwrap_or("-");
            version.chars().all(|c| c.is_ascii_digit() || c == '.')
                && path.join("html/index.html").is_file()
        })
        .map(|path| path.join("html"))
        .collect();
    found.sort();
    found.pop()
}

/// The versioned package that the unversioned one stands for.
fn postgresql_doc() -> Result<String> {
    let output = Command::new("apt-cache").args(["depends", "postgresql-doc"]).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = text.split_whitespace().find(|word| word.starts_with("postgresql-doc-"));
    name.map(str::to_owned).context("apt knows no postgresql-doc")
}

/// Reads all files under some folders. `/` is a page of links to the index of each; the files of
/// the n-th folder stand under `/n/`.
pub(crate) fn load(folders: &[PathBuf]) -> Result<HashMap<String, File>> {
    let mut files = HashMap::new();
    let mut root = String::from("<!doctype html><title>Manuals</title><ul>");
    for (number, folder) in folders.iter().enumerate() {
        let prefix = format!("/{}", number + 1);
        root.push_str(&format!("<li><a href=\"{prefix}/index.html\">{}</a>", number + 1));
        read_into(&mut files, folder, &prefix, MAX_DEPTH)?;
    }
    let body = Bytes::from(root);
    files.insert("/".into(), File { content_type: "text/html; charset=utf-8", body });
    Ok(files)
}

fn read_into(
    files: &mut HashMap<String, File>,
    folder: &Path,
    prefix: &str,
    depth: usize,
) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        // Debian links pictures and scripts from elsewhere; a broken link is no file.
        let Ok(meta) = fs::metadata(&path) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let address = format!("{prefix}/{name}");
        if meta.is_dir() && depth > 0 {
            read_into(files, &path, &address, depth - 1)?;
        } else if meta.is_file() && meta.len() <= MAX_FILE {
            let body = Bytes::from(fs::read(&path)?);
            if name == "index.html" {
                let file = File { content_type: "text/html", body: body.clone() };
                files.insert(format!("{prefix}/"), file);
            }
            files.insert(address, File { content_type: content_type(&name), body });
        }
    }
    Ok(())
}

/// As a plain web server has it: no charset.
fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "js" => "text/javascript",
        "txt" | "rst" => "text/plain",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}
