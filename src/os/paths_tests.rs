//! Which folder is chosen, and which is refused.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;

fn lookup(pairs: &[(&str, &Path)]) -> impl Fn(&str) -> Option<OsString> {
    let pairs: Vec<(String, OsString)> =
        pairs.iter().map(|(name, value)| (name.to_string(), value.as_os_str().to_owned())).collect();
    move |name| pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone())
}

#[test]
fn the_runtime_folder_is_chosen_in_order_and_closed() {
    let temp = tempfile::tempdir().unwrap();
    let (named, xdg) = (temp.path().join("named"), temp.path().join("xdg"));
    fs::create_dir(&xdg).unwrap();
    let uid = nix::unistd::geteuid();
    let cases: [(&[(&str, &Path)], PathBuf); 4] = [
        (&[("COUNSEL_RUNTIME_DIR", &named), ("XDG_RUNTIME_DIR", &xdg)], named.clone()),
        (&[("XDG_RUNTIME_DIR", &xdg)], xdg.join("counsel")),
        (&[("XDG_RUNTIME_DIR", &temp.path().join("absent"))], temp.path().join(format!("counsel-{uid}"))),
        (&[("COUNSEL_RUNTIME_DIR", Path::new("relative"))], temp.path().join(format!("counsel-{uid}"))),
    ];
    for (environment, want) in cases {
        let got = runtime_dir_in(&lookup(environment), temp.path()).unwrap();
        assert_eq!(got, want);
        assert_eq!(fs::metadata(&got).unwrap().mode() & 0o777, 0o700);
        runtime_dir_in(&lookup(environment), temp.path()).expect("the second start finds it");
    }
}

/// After a logout the whole folder is gone: agents that ran on were looked for elsewhere, and "no agents" was said.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_gone_is_the_place_of_those_who_listen_there_still() {
    let temp = tempfile::tempdir().unwrap();
    let xdg = temp.path().join("xdg");
    let environment: [(&str, &Path); 1] = [("XDG_RUNTIME_DIR", &xdg)];
    let folder = xdg.join("counsel");
    fs::create_dir_all(&folder).unwrap();
    let listener = std::os::unix::net::UnixListener::bind(folder.join(SERVER_SOCKET)).unwrap();
    fs::remove_dir_all(&xdg).unwrap();
    assert_eq!(runtime_place_in(&lookup(&environment), temp.path()), folder);
    assert_eq!(runtime_dir_in(&lookup(&environment), temp.path()), Ok(folder.clone()), "it is made anew");
    fs::remove_dir_all(&xdg).unwrap();
    fs::write(&xdg, "").unwrap();
    let elsewhere = temp.path().join(format!("counsel-{}", nix::unistd::geteuid()));
    assert_eq!(runtime_place_in(&lookup(&environment), temp.path()), elsewhere, "that is no folder");
    fs::remove_file(&xdg).unwrap();
    drop(listener);
    // A process that another test begins holds every descriptor of this one until its exec.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(5);
    while runtime_place_in(&lookup(&environment), temp.path()) != elsewhere {
        assert!(std::time::Instant::now() < until, "nobody is there");
        std::thread::yield_now();
    }
}

#[test]
fn a_folder_that_is_not_ours_alone_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let (real, link, file) = (temp.path().join("real"), temp.path().join("link"), temp.path().join("file"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    fs::write(&file, "").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o770)).unwrap();
    for (dir, want) in [(&link, "symbolic link"), (&file, "not a folder"), (&real, "chmod 700")] {
        let error = runtime_dir_in(&lookup(&[("COUNSEL_RUNTIME_DIR", dir)]), temp.path()).unwrap_err();
        assert!(error.contains(want) && error.contains(&*dir.to_string_lossy()), "{error}");
    }
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o770, "what is the user's is left alone");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
    runtime_dir_in(&lookup(&[("COUNSEL_RUNTIME_DIR", &real)]), temp.path()).unwrap();
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o700, "others look in no more");
    // A folder of the user's own, with files that others read, was closed to them without a word.
    fs::write(real.join("shared.txt"), "").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
    let error = runtime_dir_in(&lookup(&[("COUNSEL_RUNTIME_DIR", &real)]), temp.path()).unwrap_err();
    assert!(error.contains("chmod 700") && error.contains("name another one"), "{error}");
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o755, "what is the user's is left alone");
    let error = verify(&real, &fs::symlink_metadata(&real).unwrap(), nix::unistd::geteuid().as_raw() + 1);
    assert!(error.unwrap_err().contains("belongs to user"));
}

#[test]
fn state_follows_its_variables() {
    let base = Path::new("/base");
    assert_eq!(state_path(&lookup(&[("COUNSEL_STATE_DIR", base)])).unwrap(), base);
    assert_eq!(state_path(&lookup(&[("XDG_STATE_HOME", base)])).unwrap(), base.join("counsel"));
    assert_eq!(state_path(&lookup(&[("HOME", base)])).unwrap(), base.join(".local/state/counsel"));
    assert!(state_path(&lookup(&[])).unwrap_err().contains("HOME"));
}

#[test]
fn a_socket_path_too_long_is_named_with_the_mend() {
    let long = PathBuf::from(format!("/{}", "x".repeat(SOCKET_PATH_MAX)));
    assert!(socket_path(Some(&long)).unwrap_err().contains("--socket"));
    let fits = PathBuf::from(format!("/{}", "x".repeat(SOCKET_PATH_MAX - SOCKET_SUFFIX - 1)));
    assert_eq!(socket_path(Some(&fits)).unwrap(), fits);
}
