//! Which files of a project a command names, and when that is too much to be agreed to.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// A project with an agent that works beside it, below a folder that holds both.
fn project() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    for name in ["p/run.sh", "p/bin/tool", "beside/own.sh", "out/real.sh", "p/lib/helper/__main__.py"] {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(root.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    for name in ["p/server.js", "p/notes.txt", "p/README.md", "out/data.txt", "out/plain.sh"] {
        fs::write(root.join(name), "x\n").unwrap();
    }
    fs::write(root.join("p/odd"), "#!bin/tool -x\n").unwrap();
    symlink(root.join("out/real.sh"), root.join("p/link.sh")).unwrap();
    symlink(root.join("p"), root.join("alias")).unwrap();
    (folder, root)
}

/// `PATH`, links, other folders, wrappers and lines led to files of the project that nobody had agreed to.
#[test]
fn whatever_a_command_runs_of_a_project_is_named() {
    let (_folder, root) = project();
    let search = format!("/usr/bin:{}", root.join("p/bin").display());
    let folders = [root.join("p"), root.join("beside")];
    let scope = Scope::new(folders.iter().map(PathBuf::as_path), Some(&search));
    let named = |line: &[&str]| {
        let words: Vec<String> =
            line.iter().map(|word| word.replace("ROOT", root.to_str().unwrap())).collect();
        let found = scope.of_command(&words, &root.join("p"));
        found.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect::<Vec<_>>()
    };
    for (line, want) in [
        (&["./run.sh"][..], &["p/run.sh"][..]),
        (&["tool", "x"], &["p/bin/tool"]),
        (&["env", "A=1", "timeout", "5", "tool"], &["p/bin/tool"]),
        (&["sh", "-c", "cd ../beside && exec ./own.sh"], &["beside/own.sh"]),
        (&["bash", "-lc", ". ./notes.txt; tool > notes.txt"], &["p/notes.txt", "p/bin/tool"]),
        (&["sh", "-c", "cat README.md; echo 2>> notes.txt"], &["p/README.md"]),
        (&["../beside/own.sh"], &["beside/own.sh"]),
        (&["ROOT/alias/run.sh"], &["alias/run.sh"]),
        (&["./link.sh"], &["p/link.sh"]),
        (&["ROOT/out/real.sh"], &["out/real.sh"]),
        (&["sh", "ROOT/out/plain.sh"], &["out/plain.sh"]),
        (&["cat", "ROOT/out/data.txt"], &[]),
        (&["node", "server"], &["p/server.js"]),
        (&["python3", "-m", "lib.helper"], &["p/lib/helper/__main__.py"]),
        (&["claude", "--settings=notes.txt"], &["p/notes.txt"]),
        (&["./odd"], &["p/odd", "p/bin/tool"]),
        (&["/usr/bin/env", "true"], &[]),
        (&["env", "-S./run.sh"], &["p/run.sh"]),
        (&["env", "-S./run.sh x"], &["p/run.sh"]),
        (&["env", "-C", "bin", "./tool"], &["p/bin/tool"]),
        (&["env", "--chdir=../beside", "./own.sh"], &["beside/own.sh"]),
        (&["script", "-qc./run.sh", "/dev/null"], &["p/run.sh"]),
        (&["awk", "-fnotes.txt"], &["p/notes.txt"]),
        (&["sh", "-c", "$PWD/run.sh"], &["p/run.sh"]),
        (&["sh", "-c", "\"${PWD}/run.sh\""], &["p/run.sh"]),
        (&["bash", "-c", "~+/run.sh"], &["p/run.sh"]),
        (&["sh", "-c", "./ru*"], &["p/run.sh"]),
        (&["bash", "-c", "pushd bin; ./tool"], &["p/bin/tool"]),
        (&["git", "-c", "alias.x=!./run.sh a", "x"], &["p/run.sh"]),
        (&["git", "-c", "alias.x=!./run.sh", "x"], &["p/run.sh"]),
        (&["claude", "-p", "write the README.md, see ./README.md"], &[]),
        (&["claude", "-p", "write the server"], &[]),
    ] {
        assert_eq!(named(line), want, "{line:?}");
    }
}

/// Each of these ran a file that nobody had been shown.
#[test]
fn whatever_a_command_mentions_of_a_project_is_named() {
    let (_folder, root) = project();
    let folders = [root.join("p"), root.join("beside")];
    let scope = Scope::new(folders.iter().map(PathBuf::as_path), Some("/usr/bin"));
    for path in
        ["p/sub/z.sh", "p/sub/in/y", "p/x.jar", "p/a,b=c.sh", "p/my file.sh", "p/Makefile", "p/package.json"]
    {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), "x\n").unwrap();
    }
    for (line, want) in [
        (&["awk", "BEGIN { system(\"./sub/z.sh\") }"][..], "p/sub/z.sh"),
        (&["sh", "-c", "(cd sub); ./sub/z.sh"], "p/sub/z.sh"),
        (&["bash", "-c", "cd sub && cd in && cd - && . ./z.sh"], "p/sub/z.sh"),
        (&["bash", "-c", "pushd sub/in; popd; cd sub; sh z.sh"], "p/sub/z.sh"),
        (&["bash", "-c", "cd sub; cd in; ./y"], "p/sub/in/y"),
        (&["bash", "-c", "a=sub; $BASH \"$a/z.sh\""], "p/sub/z.sh"),
        (&["sh", "-c", "\"$(dirname \"$0\")/sub/z.sh\""], "p/sub/z.sh"),
        (&["sh", "-c", "$(pwd)/sub/z.sh"], "p/sub/z.sh"),
        (&["python3", "-c", "import os; os.system('sub/z.sh')"], "p/sub/z.sh"),
        (&["python3", "-c", "exec(open(\"notes.txt\").read())"], "p/notes.txt"),
        (&["python3", "-c", "import lib.helper"], "p/lib/helper/__main__.py"),
        (&["perl", "-e", "do './notes.txt'"], "p/notes.txt"),
        (&["perl", "-e", "do q{./notes.txt}"], "p/notes.txt"),
        (&["ruby", "-e", "load %q(./notes.txt)"], "p/notes.txt"),
        (&["node", "-e", "require('./server')"], "p/server.js"),
        (&["node", "-e", "a=>import(`./server.js`)"], "p/server.js"),
        (&["php", "-r", "include \"notes.txt\";"], "p/notes.txt"),
        (&["lua", "-e", "dofile[[notes.txt]]"], "p/notes.txt"),
        (&["tar", "cf", "/dev/null", "x", "--checkpoint-action=exec=sh sub/z.sh"], "p/sub/z.sh"),
        (&["tar", "--checkpoint-action=exec=./sub/z.sh"], "p/sub/z.sh"),
        (&["vim", "-c", "!./sub/z.sh"], "p/sub/z.sh"),
        (&["vim", "-c", ":so notes.txt|q"], "p/notes.txt"),
        (&["socat", "-", "EXEC:./sub/z.sh,pty"], "p/sub/z.sh"),
        (&["socat", "-", "SYSTEM:'sh notes.txt'"], "p/notes.txt"),
        (&["claude", "--settings", "{\"hooks\":{\"Stop\":[{\"command\":\"./sub/z.sh a\"}]}}"], "p/sub/z.sh"),
        (
            &[
                "claude",
                "--mcp-config",
                "{\"mcpServers\":{\"a\":{\"command\":\"node\",\"args\":[\"server.js\"]}}}",
            ],
            "p/server.js",
        ),
        (&["claude", "--mcp-config=notes.txt"], "p/notes.txt"),
        (&["codex", "-c", "notify=[\"sub/z.sh\"]"], "p/sub/z.sh"),
        (&["codex", "-c", "mcp_servers.a.command='./sub/z.sh'"], "p/sub/z.sh"),
        (&["codex", "-c", "mcp_servers.a={command=\"python3\",args=[\"notes.txt\"]}"], "p/notes.txt"),
        (&["java", "-javaagent:x.jar=a", "Main"], "p/x.jar"),
        (&["java", "-cp", "lib:x.jar", "Main"], "p/x.jar"),
        (&["java", "@notes.txt"], "p/notes.txt"),
        (&["cargo", "--config", "build.rustc-wrapper='sub/z.sh'", "run"], "p/sub/z.sh"),
        (&["cargo", "--config=notes.txt", "run"], "p/notes.txt"),
        (&["env", "NODE_OPTIONS=--require ./server.js", "claude"], "p/server.js"),
        (&["env", "-S", "A=1 sub/z.sh"], "p/sub/z.sh"),
        (&["xargs", "-a", "/dev/null", "-I{}", "sh", "-c", "sub/z.sh {}"], "p/sub/z.sh"),
        (&["find", ".", "-exec", "sub/z.sh", "{}", ";"], "p/sub/z.sh"),
        (&["find", "sub", "-execdir", "sh", "z.sh", ";"], "p/sub/z.sh"),
        (&["make", "-fnotes.txt"], "p/notes.txt"),
        (&["make", "-f", "notes.txt"], "p/notes.txt"),
        (&["make", "all"], "p/Makefile"),
        (&["npm", "--prefix", ".", "run", "x"], "p/package.json"),
        (&["git", "-c", "core.pager=sub/z.sh", "log"], "p/sub/z.sh"),
        (&["ssh", "-o", "ProxyCommand=sub/z.sh %h", "a"], "p/sub/z.sh"),
        (&["sh", "-c", "sh a,b=c.sh"], "p/a,b=c.sh"),
        (&["sh", "-c", "sh 'my file.sh'"], "p/my file.sh"),
        (&["sh", "-c", "cat <<< x >notes.txt; . ./notes.txt"], "p/notes.txt"),
        // What an agent's environment holds is read the same way.
        (&["--require ./server"], "p/server.js"),
        (&["-Mlib=sub/z.sh"], "p/sub/z.sh"),
        (&["ROOT/p/notes.txt"], "p/notes.txt"),
    ] {
        let words: Vec<String> =
            line.iter().map(|word| word.replace("ROOT", root.to_str().unwrap())).collect();
        let found = scope.of_command(&words, &root.join("p"));
        assert!(found.contains(&root.join(want)), "{line:?}: {found:?}");
    }
}

/// A command in which more is to be looked for than can be is agreed to by nobody, and takes no time.
#[test]
fn what_names_too_much_is_never_agreed_to() {
    let (_folder, root) = project();
    let folders = [root.join("p")];
    let scope = Scope::new(folders.iter().map(PathBuf::as_path), Some("/usr/bin"));
    (0..400).for_each(|at| fs::create_dir(root.join(format!("p/d{at}"))).unwrap());
    let words: Vec<String> = (0..400).map(|at| format!("d{at}")).chain(["z".to_owned()]).collect();
    let found = scope.of_command(&["sh".into(), "-c".into(), words.join(" ")], &root.join("p"));
    assert!(found.contains(&root.join("p")), "{found:?}");
    let agreed = Agreed { folders: vec![root.join("p").display().to_string()], ..Agreed::default() };
    assert!(check(&["sh".into(), "-c".into(), words.join(" ")], &root.join("p"), None, &agreed).is_err());
}

/// Each option led anew through all words behind it, and of a folder's programs a thousand were looked at.
#[test]
fn what_is_made_to_take_long_hides_nothing() {
    let (_folder, root) = project();
    let folders = [root.join("p")];
    let scope = Scope::new(folders.iter().map(PathBuf::as_path), Some("/usr/bin"));
    let mut words = vec!["env".to_owned()];
    words.extend((0..400).map(|at| if at % 2 == 0 { "-C".into() } else { format!("bin{at}") }));
    words.push("./run.sh".into());
    assert_eq!(scope.of_command(&words, &root.join("p")), [root.join("p/run.sh")]);
    for at in 0..1_100 {
        let path = root.join(format!("p/bin/a{at}"));
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let found = scope.with_path("bin").of_path(&root.join("p"));
    assert!(found.len() == 1_101 && found.contains(&root.join("p/bin/tool")), "{}", found.len());
}

#[test]
fn a_command_runs_only_what_was_agreed_to() {
    let (_folder, root) = project();
    let words = ["./run.sh".to_owned()];
    let agreed = Agreed {
        folders: vec![root.join("p").display().to_string()],
        digests: vec![trust::digest(b"#!/bin/sh\n")],
        ..Agreed::default()
    };
    let checked = || check(&words, &root.join("p"), None, &agreed);
    assert_eq!(checked(), Ok(()));
    fs::write(root.join("p/run.sh"), "#!/bin/sh\ntouch x\n").unwrap();
    assert!(checked().unwrap_err().contains("run.sh is not what was trusted"));
}
