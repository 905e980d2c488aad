//! A release by its one command, for whoever asks for it by name: it builds the program as it is given to others, which takes
//! minutes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

fn text(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    format!("{out}{err}")
}

#[test]
#[ignore = "builds with link-time optimisation: minutes; cargo test --test release -- --ignored"]
fn what_is_given_to_others_is_whole_and_runs_in_an_empty_folder() {
    let mut release = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/release"));
    let said = text(release.env_remove("DEBFULLNAME").env_remove("DEBEMAIL"));
    let tried = said.matches("in a bare folder:").count();
    assert!(tried >= 1 && said.matches("no other byte typed").count() == tried, "{said}");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join(concat!("release-", env!("CARGO_PKG_VERSION")));
    let sums = text(Command::new("sha256sum").args(["--check", "SHA256SUMS"]).current_dir(&folder));
    for kind in [".tar.xz: OK", ".crate: OK", ".spdx.json: OK"] {
        assert!(sums.contains(kind), "no {kind}:\n{sums}");
    }
    let packages = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    for package in packages.filter(|path| path.extension().is_some_and(|extension| extension == "deb")) {
        let holds = text(Command::new("dpkg-deb").arg("-c").arg(&package));
        assert!(holds.contains("/usr/share/doc/counsel/copyright\n"), "{holds}");
        // A place-holder of an address stood there.
        let maintainer = text(Command::new("dpkg-deb").arg("-f").arg(&package).arg("Maintainer"));
        assert_eq!(maintainer.trim(), env!("CARGO_PKG_AUTHORS"));
        is_installed(&package, &target.join("release-root"));
    }
    let archives = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    for archive in archives.filter(|path| path.extension().is_some_and(|extension| extension == "xz")) {
        let holds = text(Command::new("tar").arg("-tJf").arg(&archive));
        for file in [
            "/bin/counsel\n",
            "/share/man/man1/counsel-start.1.gz\n",
            "/bash-completion/completions/counsel\n",
            "/zsh/site-functions/_counsel\n",
            "/fish/vendor_completions.d/counsel.fish\n",
            "/doc/counsel/LICENSE-MIT\n",
            "/doc/counsel/config.example.toml\n",
        ] {
            assert!(holds.contains(file), "{} lacks {file}", archive.display());
        }
    }
}

/// Debian's own installer puts it below a folder, knows it there, and takes all of it away again.
fn is_installed(package: &Path, root: &Path) {
    let foreign = Command::new("dpkg").arg("--print-architecture").output().unwrap();
    let own = format!("_{}", String::from_utf8(foreign.stdout).unwrap().trim());
    // Without root the installer may not give files to root.
    if !nix::unistd::geteuid().is_root() || !package.file_stem().unwrap().to_str().unwrap().ends_with(&own) {
        return;
    }
    drop(std::fs::remove_dir_all(root));
    for folder in ["info", "updates", "triggers"] {
        std::fs::create_dir_all(root.join("var/lib/dpkg").join(folder)).unwrap();
    }
    std::fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = |action: &str, what: &std::ffi::OsStr| {
        text(Command::new("dpkg").arg(format!("--root={}", root.display())).arg(action).arg(what))
    };
    dpkg("--install", package.as_os_str());
    assert!(dpkg("--status", "counsel".as_ref()).contains("Status: install ok installed"));
    let version = text(Command::new(root.join("usr/bin/counsel")).arg("--version"));
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    dpkg("--purge", "counsel".as_ref());
    assert!(!root.join("usr/bin/counsel").exists() && !root.join("usr/share/doc/counsel").exists());
    std::fs::remove_dir_all(root).unwrap();
}
