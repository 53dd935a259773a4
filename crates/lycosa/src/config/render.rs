//! What may a page cost whose scripts are run?

use crate::units::{Size, Span};
use lycosa_bot::RenderSettings;
use lycosa_model::Render as RenderMode;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Pages whose scripts are run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Render {
    pub(crate) mode: RenderMode,
    /// The browser; the first on the path if not set.
    pub(crate) chromium: Option<PathBuf>,
    /// Pages at the same time.
    pub(crate) tabs: usize,
    pub(crate) timeout: Span,
    /// The page's own time that passes.
    pub(crate) patience: Span,
    pub(crate) clicks: usize,
    /// Requests that are made for one page, and the bytes they may bring.
    pub(crate) requests: usize,
    pub(crate) max_bytes: Size,
    pub(crate) memory: Size,
}

impl Default for Render {
    fn default() -> Render {
        let settings = RenderSettings::default();
        Render {
            mode: settings.mode,
            chromium: settings.chromium,
            tabs: settings.tabs,
            timeout: Span(settings.timeout),
            patience: Span(settings.patience),
            clicks: settings.clicks,
            requests: settings.requests,
            max_bytes: Size(settings.max_bytes),
            memory: Size(settings.memory),
        }
    }
}
