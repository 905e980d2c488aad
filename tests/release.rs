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
    let said = text(&mut Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/release")));
    let tried = said.matches("in a bare folder:").count();
    assert!(tried >= 1 && said.matches("no other byte typed").count() == tried, "{said}");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join(concat!("release-", env!("CARGO_PKG_VERSION")));
    let sums = text(Command::new("sha256sum").args(["--check", "SHA256SUMS"]).current_dir(&folder));
    for kind in [".tar.xz: OK", ".crate: OK", ".spdx.json: OK"] {
        assert!(sums.contains(kind), "no {kind}:\n{sums}");
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
