//! [`Roots`]: whom to trust.

use std::path::PathBuf;

/// Whom to trust when a server on `https` says who it is. (A build without the feature `tls` has no `https`.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// Those whom the system trusts: what its administrator has decided counts here too, and changes without a new build.
    #[default]
    System,
    /// Those whose certificates are in this PEM file, and nobody else.
    File(PathBuf),
}
