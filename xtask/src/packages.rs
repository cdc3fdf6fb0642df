//! What the tests need from the operating system: finds out what is missing and installs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process::{is_installed, run, succeeds};

/// Folder the Vulkan loader finds drivers in.
const VULKAN_DRIVERS: &str = "/usr/share/vulkan/icd.d";

/// How to see that something is there.
enum Probe {
    /// A program in `PATH`.
    Program,
    /// A shared library the loader knows.
    Library,
    /// lavapipe's manifest in [`VULKAN_DRIVERS`].
    VulkanDriver,
    /// Mesa's software OpenGL: `swrast_dri.so`, or one `libgallium` for all drivers since Mesa 24.
    OpenGlDriver,
}

/// What a need serves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Rendering without a window: interface tests and screenshots.
    Rendering,
    /// The real window on a virtual display.
    Window,
}

/// One thing the tests need, and the Debian and Ubuntu package that brings it.
pub(crate) struct Need {
    name: &'static str,
    probe: Probe,
    package: &'static str,
    purpose: Purpose,
}

const fn need(name: &'static str, probe: Probe, package: &'static str, purpose: Purpose) -> Need {
    Need { name, probe, package, purpose }
}

/// winit opens the X11 libraries at run time, so no package manager knows that they are needed.
const NEEDS: [Need; 12] = [
    need("lavapipe", Probe::VulkanDriver, "mesa-vulkan-drivers", Purpose::Rendering),
    need("libvulkan.so.1", Probe::Library, "libvulkan1", Purpose::Rendering),
    need("Xvfb", Probe::Program, "xvfb", Purpose::Window),
    need("xdotool", Probe::Program, "xdotool", Purpose::Window),
    need("libEGL.so.1", Probe::Library, "libegl1", Purpose::Window),
    need("llvmpipe", Probe::OpenGlDriver, "libgl1-mesa-dri", Purpose::Window),
    need("libX11.so.6", Probe::Library, "libx11-6", Purpose::Window),
    need("libX11-xcb.so.1", Probe::Library, "libx11-xcb1", Purpose::Window),
    need("libXcursor.so.1", Probe::Library, "libxcursor1", Purpose::Window),
    need("libXi.so.6", Probe::Library, "libxi6", Purpose::Window),
    need("libxkbcommon.so.0", Probe::Library, "libxkbcommon0", Purpose::Window),
    need("libxkbcommon-x11.so.0", Probe::Library, "libxkbcommon-x11-0", Purpose::Window),
];

/// What is still missing, and why it could not be brought.
pub(crate) struct Missing {
    needs: Vec<&'static Need>,
    reason: String,
}

impl Missing {
    /// Why checks with one of these purposes cannot run; `None` if they can.
    pub(crate) fn reason_for(&self, purposes: &[Purpose]) -> Option<String> {
        let names: Vec<_> =
            self.needs.iter().filter(|need| purposes.contains(&need.purpose)).map(|need| need.name).collect();
        (!names.is_empty()).then(|| format!("needs {}: {}", names.join(", "), self.reason))
    }
}

/// Installs what is missing where that is possible without asking: by apt-get, as root or through a
/// sudo that wants no password. Elsewhere the reason says what to install.
///
/// Systems other than Linux bring a GPU driver and a window system of their own; nothing is
/// installed there.
pub(crate) fn bring() -> Missing {
    let needs = missing();
    if needs.is_empty() {
        return Missing { needs, reason: String::new() };
    }
    let packages: Vec<_> = needs.iter().map(|need| need.package).collect();
    match install(&packages) {
        Ok(()) => Missing {
            needs: missing(),
            reason: format!("still not found after `apt-get install {}`", packages.join(" ")),
        },
        Err(error) => Missing { needs, reason: format!("{error:#}") },
    }
}

/// The packages with libraries and drivers that the window needs on any machine.
pub(crate) fn for_the_window() -> impl Iterator<Item = &'static str> {
    NEEDS.iter().filter(|need| !matches!(need.probe, Probe::Program)).map(|need| need.package)
}

/// The manifest of lavapipe, Mesa's Vulkan driver that renders on the CPU.
pub(crate) fn lavapipe() -> Option<PathBuf> {
    lavapipe_in(Path::new(VULKAN_DRIVERS), std::env::consts::ARCH)
}

/// A machine may hold drivers of several architectures; the own one comes first.
fn lavapipe_in(folder: &Path, architecture: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let mut manifests: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with("lvp_icd"))
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "json"))
        .collect();
    manifests.sort_by_key(|name| (!name.contains(architecture), name.clone()));
    manifests.first().map(|name| folder.join(name))
}

fn missing() -> Vec<&'static Need> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let libraries = shared_libraries();
    NEEDS
        .iter()
        .filter(|need| !match need.probe {
            Probe::Program => is_installed(need.name),
            Probe::Library => lists_library(&libraries, need.name),
            Probe::VulkanDriver => lavapipe().is_some(),
            Probe::OpenGlDriver => libraries.contains("libgallium-") || has_swrast(),
        })
        .collect()
}

/// The loader's list of shared libraries; empty where it cannot be had, so that all count as missing.
fn shared_libraries() -> String {
    // ldconfig is outside an ordinary user's PATH on Debian.
    ["ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"]
        .iter()
        .find_map(|program| Command::new(program).arg("-p").output().ok())
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default()
}

fn lists_library(ldconfig: &str, name: &str) -> bool {
    ldconfig.lines().any(|line| line.split_whitespace().next() == Some(name))
}

fn has_swrast() -> bool {
    let multiarch = fs::read_dir("/usr/lib").into_iter().flatten().filter_map(|entry| {
        let path = entry.ok()?.path();
        path.is_dir().then_some(path)
    });
    multiarch
        .chain(["/usr/lib", "/usr/lib64"].map(PathBuf::from))
        .any(|folder| folder.join("dri/swrast_dri.so").exists())
}

/// Installs packages of Debian or Ubuntu, or says why that is not possible without asking.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let wanted = packages.join(" ");
    if !is_installed("apt-get") {
        bail!("install what Debian and Ubuntu call {wanted} with this system's package manager");
    }
    let root = is_root();
    if !root && !succeeds(Command::new("sudo").args(["-n", "true"])) {
        bail!("run `sudo apt-get install {wanted}`");
    }
    eprintln!("installing {wanted}");
    let apt_get = |arguments: &[&str]| {
        let mut command = Command::new(if root { "env" } else { "sudo" });
        if !root {
            command.args(["-n", "env"]);
        }
        command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]).args(arguments);
        run(&mut command)
    };
    let arguments = [&["install", "-y", "--no-install-recommends"], packages].concat();
    // The package lists of a fresh machine are empty, those of a used one may be stale.
    apt_get(&["update"])
        .and_then(|()| apt_get(&arguments))
        .with_context(|| format!("`apt-get install {wanted}` did not work"))
}

/// Whether this process may do everything on this machine.
pub(crate) fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_is_found_by_its_whole_name() {
        let ldconfig = "2 libs found in cache `/etc/ld.so.cache'\n\
            \tlibX11-xcb.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libX11-xcb.so.1\n\
            \tlibEGL.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libEGL.so.1\n";
        assert!(lists_library(ldconfig, "libEGL.so.1"));
        assert!(lists_library(ldconfig, "libX11-xcb.so.1"));
        assert!(!lists_library(ldconfig, "libX11.so.6"));
        assert!(!lists_library(ldconfig, "libEGL.so"));
    }

    #[test]
    fn lavapipe_of_the_own_architecture_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let check = |expected: Option<&str>| {
            let found = lavapipe_in(folder.path(), "x86_64");
            assert_eq!(found, expected.map(|name| folder.path().join(name)));
        };
        check(None);
        fs::write(folder.path().join("radeon_icd.x86_64.json"), "{}").unwrap();
        check(None);
        fs::write(folder.path().join("lvp_icd.i686.json"), "{}").unwrap();
        check(Some("lvp_icd.i686.json"));
        fs::write(folder.path().join("lvp_icd.x86_64.json"), "{}").unwrap();
        check(Some("lvp_icd.x86_64.json"));
    }

    #[test]
    fn tests_without_a_window_run_without_a_display() {
        let missing = Missing {
            needs: NEEDS.iter().filter(|need| need.name == "Xvfb").collect(),
            reason: "run `sudo apt-get install xvfb`".into(),
        };
        assert_eq!(missing.reason_for(&[Purpose::Rendering]), None);
        assert_eq!(
            missing.reason_for(&[Purpose::Rendering, Purpose::Window]).unwrap(),
            "needs Xvfb: run `sudo apt-get install xvfb`"
        );
    }
}
