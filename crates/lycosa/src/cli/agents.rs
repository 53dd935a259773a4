//! What can be asked of the agents?

use super::Tui;
use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "Without options: the agents of the running crawl. With one of them: what the agents of the strategy (spiders, \
    walkers,\na team) did in the last crawl of the folder, also while it runs; --tui shows all of that full-screen.\n\nExamples:\n  \
    lycosa agents\n  \
    lycosa agents --tui\n  \
    lycosa agents --tree\n  \
    lycosa agents --history spider-3\n  \
    lycosa agents --conversations\n  \
    lycosa agents --conversation round-2"
)]
pub(crate) struct AgentsArgs {
    /// Who was born of whom, and who lives
    #[arg(long, conflicts_with_all = ["history", "conversations", "conversation"])]
    pub(crate) tree: bool,
    /// What one agent did
    #[arg(long, value_name = "NAME", conflicts_with_all = ["conversations", "conversation"])]
    pub(crate) history: Option<String>,
    /// The conversations of a team
    #[arg(long, conflicts_with = "conversation")]
    pub(crate) conversations: bool,
    /// What was said in one conversation
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) view: Tui,
}
