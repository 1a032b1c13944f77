//! Softcore sources in Python packages
//!
//! The `pythondata-cpu-*` packages contain Verilog as data files, which Python locates. Nothing of them is copied into
//! the repository.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Python package with the source of a softcore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// Name in the package index.
    pub name: &'static str,
    /// Name of the Python module.
    pub module: &'static str,
    /// Version that was tested.
    pub version: &'static str,
    /// Licence of the core.
    pub licence: &'static str,
}

/// Error of a softcore's source that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// Python is missing.
    #[error("{python}: not found ({}); it finds the Python package {package}: tools/setup installs both, GOSHAWK_PYTHON can name it", retire::file::system_error(source))]
    Python {
        /// Command that was run.
        python: String,
        /// Package that was requested.
        package: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The package is not installed.
    #[error("Python package {package} is not installed for {python}; tools/setup installs {package} {version}")]
    Missing {
        /// Python that was used.
        python: String,
        /// Package that was requested.
        package: &'static str,
        /// Tested version.
        version: &'static str,
    },
    /// The package has no such file.
    #[error("{path}: {source}; {package} {version} has it")]
    File {
        /// The file.
        path: String,
        /// Package that should contain it.
        package: &'static str,
        /// Tested version.
        version: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// Python command: `GOSHAWK_PYTHON`, else the virtual environment that tools/setup created in the current folder, else
/// `python3`.
fn python() -> String {
    if let Some(name) = std::env::var("GOSHAWK_PYTHON").ok().filter(|n| !n.is_empty()) {
        return name;
    }
    let venv = Path::new(".venv/bin/python3");
    if venv.is_file() {
        venv.display().to_string()
    } else {
        "python3".into()
    }
}

impl Package {
    /// Folder of the package's Verilog.
    pub fn folder(&self) -> Result<PathBuf, PackageError> {
        self.folder_by(&python())
    }

    fn folder_by(&self, python: &str) -> Result<PathBuf, PackageError> {
        let script = format!("import {0}; print({0}.data_location)", self.module);
        let output = Command::new(python)
            .args(["-c", &script])
            .stdin(Stdio::null())
            .output()
            .map_err(|source| PackageError::Python { python: python.into(), package: self.name, source })?;
        let said = String::from_utf8_lossy(&output.stdout);
        let folder = said.trim();
        if !output.status.success() || folder.is_empty() {
            let python = python.to_string();
            return Err(PackageError::Missing { python, package: self.name, version: self.version });
        }
        Ok(folder.into())
    }

    /// Text of one file of the package.
    pub fn read(&self, file: &str) -> Result<String, PackageError> {
        self.read_from(&self.folder()?, file)
    }

    /// Names, without folders, and texts of some files of the package.
    pub fn read_all<'a>(&self, files: impl Iterator<Item = &'a str>) -> Result<Vec<(String, String)>, PackageError> {
        let folder = self.folder()?;
        let named = |file: &str| file.rsplit('/').next().unwrap_or(file).to_owned();
        files.map(|file| Ok((named(file), self.read_from(&folder, file)?))).collect()
    }

    fn read_from(&self, folder: &Path, file: &str) -> Result<String, PackageError> {
        let path = folder.join(file);
        std::fs::read_to_string(&path).map_err(|source| PackageError::File {
            path: path.display().to_string(),
            package: self.name,
            version: self.version,
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Package =
        Package { name: "pythondata-no-such-core", module: "pythondata_no_such_core", version: "1.0", licence: "none" };

    #[test]
    fn a_missing_package_is_named_with_its_remedy() {
        assert_eq!(
            NONE.folder_by("python3").unwrap_err().to_string(),
            "Python package pythondata-no-such-core is not installed for python3; \
             tools/setup installs pythondata-no-such-core 1.0"
        );
    }

    #[test]
    fn a_missing_python_is_named_with_its_remedy() {
        let text = NONE.folder_by("no-such-python").unwrap_err().to_string();
        assert!(text.starts_with("no-such-python: not found ("), "{text}");
        assert!(text.ends_with("tools/setup installs both, GOSHAWK_PYTHON can name it"), "{text}");
    }
}
