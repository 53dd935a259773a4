//! Which sites are crawled? Three that are generated in the sizes of the paper's Table 1, and a real one.

use super::page::{Look, Page};
use super::prose::Vocabulary;
use super::{StudyError, failed};
use flate2::Compression;
use flate2::write::GzEncoder;
use lycosa_strategy::dice::Dice;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Pages that one section lists.
const SECTION: usize = 48;
/// Files, and bytes of files, of a real site.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 512 << 20;
/// A folder with fewer pages says little.
const FEWEST_PAGES: usize = 150;
/// A site with more takes too long at one connection for each page.
const MOST_PAGES: usize = 2_500;
/// Where Debian's packages put their documentation.
const DOCUMENTATION: &str = "/usr/share/doc";

/// What a generated site is like.
pub(super) struct Recipe {
    pub(super) name: &'static str,
    pub(super) pages: usize,
    pub(super) mean_bytes: usize,
    pub(super) out_links: usize,
    pub(super) look: Look,
}

/// Table 1 of the paper.
pub(super) const RECIPES: [Recipe; 3] = [
    Recipe {
        name: "engineering",
        pages: 1_739,
        mean_bytes: 9_100,
        out_links: 570,
        look: Look::Rich,
    },
    Recipe { name: "acm", pages: 2_070, mean_bytes: 1_550, out_links: 2_446, look: Look::Bare },
    Recipe {
        name: "computer-science",
        pages: 536,
        mean_bytes: 4_500,
        out_links: 325,
        look: Look::Plain,
    },
];

/// A site as files.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) name: String,
    pub(super) is_real: bool,
    pub(super) docroot: PathBuf,
    /// HTML files.
    pub(super) pages: usize,
    pub(super) bytes: u64,
    /// The same, each packed by gzip.
    pub(super) gzip_bytes: u64,
    /// Bytes of text that a reader sees.
    pub(super) text_bytes: u64,
}

impl Site {
    pub(super) fn authority(&self) -> String {
        format!("{}.test", self.name)
    }

    pub(super) fn mean_bytes(&self) -> f64 {
        self.bytes as f64 / self.pages.max(1) as f64
    }

    fn new(name: &str, is_real: bool, docroot: PathBuf) -> Site {
        let (pages, bytes, gzip_bytes, text_bytes) = (0, 0, 0, 0);
        Site { name: name.to_owned(), is_real, docroot, pages, bytes, gzip_bytes, text_bytes }
    }

    /// Takes one file in; pages are counted and weighed.
    fn put(&mut self, path: &str, content: &[u8]) -> Result<(), StudyError> {
        let file = self.docroot.join(path.trim_start_matches('/'));
        let folder = file.parent().unwrap_or(&self.docroot);
        std::fs::create_dir_all(folder).map_err(failed("a folder of the site"))?;
        std::fs::write(&file, content).map_err(failed("a file of the site"))?;
        // A host reads only what everybody may read, whatever is usual for new files here.
        for (path, mode) in [(folder, 0o755), (self.docroot.as_path(), 0o755), (&file, 0o644)] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, mode).map_err(failed("a file of the site"))?;
        }
        if is_page(&file) {
            self.pages += 1;
            self.bytes += content.len() as u64;
            self.gzip_bytes += gzip(content).len() as u64;
            self.text_bytes += super::conventional::visible(content) as u64;
        }
        Ok(())
    }
}

fn is_page(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "html" || ending == "htm")
}

/// One page as a web server packs it.
pub(super) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    // Memory takes everything.
    let _ = packed.write_all(content);
    packed.finish().unwrap_or_default()
}

/// Robots may go everywhere: the study is about the way there.
const ROBOTS: &[u8] = b"User-agent: *\nDisallow:\nCrawllet: /.well-known/crawllet\n";

/// Writes the site of a recipe, with `percent` of its pages and outgoing links.
pub(super) fn generate(
    recipe: &Recipe,
    percent: u32,
    folder: &Path,
    seed: u64,
) -> Result<Site, StudyError> {
    let share = |count: usize| (count * percent as usize).div_ceil(100).max(1);
    let (pages, out_links) = (share(recipe.pages).max(4), share(recipe.out_links));
    let mut site = Site::new(recipe.name, false, folder.join(recipe.name));
    let name_bits =
        recipe.name.bytes().fold(0_u64, |bits, byte| bits.rotate_left(7) ^ u64::from(byte));
    let mut dice = Dice::new(seed ^ name_bits);
    let vocabulary = Vocabulary::new(&mut dice);
    // One front page, sections that list pages, and these.
    let sections = (pages - 1).div_ceil(SECTION + 1);
    let leaves = pages - 1 - sections;
    let names: Vec<String> = (0..sections)
        .map(|number| format!("{}-{}", vocabulary.rare(&mut dice), number + 1))
        .collect();
    let path = |leaf: usize, dice: &mut Dice| {
        let section = &names[leaf % sections];
        let (one, two) = (vocabulary.rare(dice), vocabulary.rare(dice));
        format!("/{section}/{one}-{two}-{leaf}.html")
    };
    let paths: Vec<String> = (0..leaves).map(|leaf| path(leaf, &mut dice)).collect();
    let titles: Vec<String> = (0..leaves)
        .map(|_| {
            let words = 2 + dice.below(4);
            vocabulary.topic(&mut dice).phrase(words, &mut dice)
        })
        .collect();
    let menu: Vec<(String, String)> = names
        .iter()
        .take(recipe.look.menu())
        .map(|name| {
            (format!("/{name}/"), name.trim_end_matches(char::is_numeric).replace('-', " "))
        })
        .collect();
    let page = |title: &str| Page::new(recipe.look, recipe.name, title, &menu);

    let mut front = page("Home");
    front.list(names.iter().map(|name| (format!("/{name}/"), name.as_str())));
    site.put("/index.html", front.finish().as_bytes())?;
    for (number, name) in names.iter().enumerate() {
        let mut listing = page(name);
        let own = (number..leaves).step_by(sections);
        listing.list(own.map(|leaf| (paths[leaf].clone(), titles[leaf].as_str())));
        site.put(&format!("/{name}/index.html"), listing.finish().as_bytes())?;
    }

    let mut outgoing = vec![0_usize; leaves];
    for _ in 0..out_links {
        outgoing[dice.below(leaves)] += 1;
    }
    // What is left for pages after the lists, spread as sizes of pages are: a few are long.
    let left = (pages * recipe.mean_bytes).saturating_sub(site.bytes as usize);
    let weights: Vec<f64> = (0..leaves).map(|_| (0.7 * dice.bell()).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let least = page("").finish().len() + 60;
    let excess = left.saturating_sub(leaves * least) as f64;
    for leaf in 0..leaves {
        let size = least + (excess * weights[leaf] / sum) as usize;
        let topic = vocabulary.topic(&mut dice);
        let mut written = page(&titles[leaf]);
        for _ in 0..outgoing[leaf] {
            let (host, file) = (vocabulary.rare(&mut dice), vocabulary.rare(&mut dice));
            let url = format!("http://www.{host}{}.example/{file}/", dice.below(1_000));
            written.outgoing(&url, &topic.phrase(3, &mut dice));
        }
        for _ in 0..2 {
            let other = dice.below(leaves);
            written.see_also(&paths[other], &titles[other]);
        }
        written.fill(size, &topic, &mut dice);
        site.put(&paths[leaf], written.finish().as_bytes())?;
    }
    site.put("/robots.txt", ROBOTS)?;
    Ok(site)
}

/// Copies the HTML documentation in a folder, so that both sides see plain files and nothing changes meanwhile.
pub(super) fn copy(source: &Path, folder: &Path) -> Result<Site, StudyError> {
    let name = site_name(source);
    let mut site = Site::new(&name, true, folder.join(&name));
    let mut waiting = vec![(source.to_owned(), String::new())];
    let mut files = 0;
    let mut bytes = 0;
    while let Some((folder, path)) = waiting.pop() {
        let entries = std::fs::read_dir(&folder).map_err(failed("the folder of --site"))?;
        let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort_unstable();
        for entry in entries {
            let Some(name) = entry.file_name().and_then(|name| name.to_str()) else { continue };
            // Links are followed to files only: a link to a folder may lead around in a ring.
            let is_link = entry.is_symlink();
            if name.starts_with('.') {
                continue;
            } else if entry.is_dir() && !is_link {
                waiting.push((entry.clone(), format!("{path}/{name}")));
            } else if entry.is_file() {
                let content = std::fs::read(&entry).map_err(failed("a file of --site"))?;
                files += 1;
                bytes += content.len() as u64;
                if files > MOST_FILES || bytes > MOST_BYTES {
                    let what = format!("{} is too large for this study", source.display());
                    return Err(StudyError::TooLittle(what));
                }
                site.put(&format!("{path}/{name}"), &content)?;
            }
        }
    }
    if !site.docroot.join("index.html").is_file() || site.pages < 2 {
        let what = format!("{} has no index.html that leads to other pages", source.display());
        return Err(StudyError::TooLittle(what));
    }
    site.put("/robots.txt", ROBOTS)?;
    Ok(site)
}

/// A folder's name that can be part of a host name.
fn site_name(source: &Path) -> String {
    let parts: Vec<&str> = source.iter().rev().filter_map(|part| part.to_str()).collect();
    let name = parts.iter().find(|part| !["html", "en", ".", "/"].contains(*part));
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.unwrap_or(&"site").chars().map(plain).collect();
    let name = name.trim_matches('-').to_owned();
    if name.is_empty() { "site".into() } else { name }
}

/// The largest documentation that a Debian package has put here and that is not too large.
pub(super) fn documentation() -> Option<PathBuf> {
    documentation_in(Path::new(DOCUMENTATION))
}

/// The same beneath any folder with one folder for each package.
fn documentation_in(root: &Path) -> Option<PathBuf> {
    let packages = std::fs::read_dir(root).ok()?;
    let mut best: Option<(usize, PathBuf)> = None;
    for package in packages.flatten() {
        for folder in [package.path().join("html"), package.path()] {
            let Ok(files) = std::fs::read_dir(&folder) else { continue };
            let pages = files.flatten().filter(|file| is_page(&file.path())).count();
            let fits = (FEWEST_PAGES..=MOST_PAGES).contains(&pages);
            let is_better = best.as_ref().is_none_or(|best| (pages, &folder) > (best.0, &best.1));
            if fits && is_better && folder.join("index.html").is_file() {
                best = Some((pages, folder));
            }
        }
    }
    best.map(|(_, folder)| folder)
}

#[cfg(test)]
mod tests;
