//! [`Roots`]: whom to trust.

use std::path::PathBuf;
#[cfg(feature = "tls")]
use std::sync::Arc;

/// Whom to trust when a server on `https` says who it is. (A build without the feature `tls` has no `https`.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// Those whom the system trusts: what its administrator has decided counts here too, and changes without a new build.
    #[default]
    System,
    /// Those whose certificates are in this PEM file, and nobody else.
    File(PathBuf),
}

/// That, and what was read of it: once, however many streams are opened.
#[derive(Clone)]
pub(super) struct Trust {
    pub(super) roots: Roots,
    #[cfg(feature = "tls")]
    pub(super) config: Option<Arc<rustls::ClientConfig>>,
}

impl Trust {
    pub(super) fn new(roots: Roots) -> Trust {
        Trust {
            roots,
            #[cfg(feature = "tls")]
            config: None,
        }
    }
}
