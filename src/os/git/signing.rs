//! Which programs git signs a commit by: those of the person's own settings, never of the repository's.
//!
//! A merge makes a commit for the person, signed where they sign theirs. By which key is the repository's to say; by which
//! program is not: an agent writes its settings. Called for a merge alone, which counsel makes only where it was asked for.

/// The settings that name a program which signs.
pub(super) const SIGNERS: &str = r"^gpg\.(.*\.)?(program|defaultkeycommand)$";

/// Of what `git config --null --show-scope` printed of them: each setting that the repository makes, with what it is without it.
pub(super) fn own_signers(listed: &str) -> Vec<(String, String)> {
    let mut fields = listed.split_terminator('\0');
    let mut settings: Vec<(String, Option<String>, bool)> = Vec::new();
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        // A setting without a value has no line end.
        let (name, value) = setting.split_once('\n').unwrap_or((setting, ""));
        // Two names of one setting, of which the last one counts.
        let name = if name == "gpg.openpgp.program" { "gpg.program" } else { name };
        let at = settings.iter().position(|(known, ..)| known == name).unwrap_or_else(|| {
            settings.push((name.to_owned(), None, false));
            settings.len() - 1
        });
        let (_, own, theirs) = &mut settings[at];
        if matches!(scope, "local" | "worktree") {
            *theirs = true;
        } else {
            *own = Some(value.to_owned());
        }
    }
    let theirs = settings.into_iter().filter(|(.., theirs)| *theirs);
    theirs.map(|(name, own, _)| (name.clone(), own.unwrap_or_else(|| git_takes(&name).to_owned()))).collect()
}

/// What git takes where nothing is set (git-config(1)).
fn git_takes(name: &str) -> &'static str {
    match name {
        "gpg.x509.program" => "gpgsm",
        "gpg.ssh.program" => "ssh-keygen",
        "gpg.program" => "gpg",
        // None is run.
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::own_signers;

    fn settings(of: &[(&str, &str)]) -> Vec<(String, String)> {
        let listed: String = of.iter().map(|(scope, setting)| format!("{scope}\0{setting}\0")).collect();
        own_signers(&listed)
    }

    fn said(settings: &[(String, String)]) -> Vec<(&str, &str)> {
        settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    #[test]
    fn what_the_person_set_holds_over_what_the_repository_says() {
        let settings = settings(&[
            ("system", "gpg.program\n/usr/bin/gpg1"),
            ("global", "gpg.program\n/usr/bin/gpg2"),
            ("local", "gpg.openpgp.program\n/repo/trap"),
            ("worktree", "gpg.program\n/repo/trap"),
        ]);
        assert_eq!(said(&settings), [("gpg.program", "/usr/bin/gpg2")]);
    }

    #[test]
    fn what_the_repository_alone_sets_is_as_git_has_it() {
        let settings = settings(&[
            ("local", "gpg.program\ntrap"),
            ("local", "gpg.openpgp.program\ntrap"),
            ("local", "gpg.ssh.program\ntrap"),
            ("local", "gpg.x509.program\ntrap"),
            ("worktree", "gpg.ssh.defaultkeycommand"),
        ]);
        let taken = [
            ("gpg.program", "gpg"),
            ("gpg.ssh.program", "ssh-keygen"),
            ("gpg.x509.program", "gpgsm"),
            ("gpg.ssh.defaultkeycommand", ""),
        ];
        assert_eq!(said(&settings), taken);
    }

    #[test]
    fn what_the_person_sets_is_left_alone() {
        let own = [("global", "gpg.program\n/usr/bin/gpg2"), ("command", "gpg.ssh.program\n/opt/keys")];
        assert_eq!(said(&settings(&own)), [("", ""); 0]);
    }
}
