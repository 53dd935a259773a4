//! How is a run looked at?

use clap::Args;

/// Whether it is looked at full-screen.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Tui {
    /// Watch it full-screen: results, agents, log and chart, with keys to steer (? lists them)
    #[arg(long, overrides_with = "no_tui")]
    pub(crate) tui: bool,
    /// Lines instead of a full screen, as without --tui
    #[arg(long, overrides_with = "tui")]
    pub(crate) no_tui: bool,
}

impl Tui {
    /// Whether it is; the last word counts.
    pub(crate) fn wanted(self) -> bool {
        self.tui && !self.no_tui
    }
}
