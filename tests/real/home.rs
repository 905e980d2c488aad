//! The made-up home of a scenario: the agent program's own settings, a project under git, the folders
//! counsel keeps its things in. Nothing of the real user's home is visible from it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::model::BEFORE;

/// An agent program that `install.sh` puts into `target/agents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Claude(&'static str),
    Codex,
    Gemini,
    /// Consultants over the Agent Client Protocol, of a worker that is `ACP_WORKER`: an adapter with a Claude Code of
    /// its own, and Gemini CLI.
    ClaudeAcp,
    GeminiAcp,
}

pub const ACP_WORKER: Program = Program::Claude("2.1.332");

impl Program {
    pub fn path(self) -> PathBuf {
        let (folder, name) = match self {
            Program::Claude(version) => (format!("claude-{version}"), "claude"),
            Program::Codex => ("codex-0.171.0".into(), "codex"),
            Program::Gemini | Program::GeminiAcp => ("gemini-0.61.0".into(), "gemini"),
            Program::ClaudeAcp => ("claude-agent-acp-0.49.0".into(), "claude-agent-acp"),
        };
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target folder");
        target.join("agents").join(folder).join("node_modules/.bin").join(name)
    }

    /// All that must be installed for its scenarios.
    pub fn needs(self) -> Vec<PathBuf> {
        match self {
            Program::ClaudeAcp | Program::GeminiAcp => vec![self.path(), ACP_WORKER.path()],
            _ => vec![self.path()],
        }
    }

    /// What starts it: the program, and what it must be told to keep to its home.
    pub fn command(self) -> Vec<String> {
        let mut command = vec![self.path().display().to_string()];
        match self {
            Program::Claude(_) | Program::Gemini | Program::ClaudeAcp => {}
            Program::GeminiAcp => command.push("--acp".into()),
            // Its daemon's socket lies in one folder for all homes.
            Program::Codex => command.push("--no-daemon".into()),
        }
        command
    }

    /// What this program needs in its environment to speak to the scripted model at `url`.
    pub fn env(self, url: &str, home: &Home) -> BTreeMap<String, String> {
        let pairs: Vec<(&str, String)> = match self {
            Program::Claude(_) | Program::ClaudeAcp => vec![
                ("ANTHROPIC_BASE_URL", url.into()),
                ("ANTHROPIC_API_KEY", FAKE_KEY.into()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
                ("DISABLE_TELEMETRY", "1".into()),
                ("DISABLE_AUTOUPDATER", "1".into()),
                ("DISABLE_ERROR_REPORTING", "1".into()),
                ("DISABLE_BUG_COMMAND", "1".into()),
                ("CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY", "1".into()),
            ],
            Program::Codex => {
                // The address stands in its settings, so each session has settings of its own.
                let session = url.rsplit('/').next().unwrap_or_default();
                let folder = home.home.join(format!(".codex-{session}"));
                let url = format!("{url}/v1");
                write(&folder.join("config.toml"), &codex_settings(&url, &home.project));
                vec![("FAKE_OPENAI_KEY", FAKE_KEY.into()), ("CODEX_HOME", folder.display().to_string())]
            }
            Program::Gemini | Program::GeminiAcp => vec![
                ("GOOGLE_GEMINI_BASE_URL", url.into()),
                ("GEMINI_API_KEY", "AIzaFake000".into()),
                ("GEMINI_TELEMETRY_ENABLED", "false".into()),
            ],
        };
        pairs.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }
}

/// Approved in the settings, so that no dialog asks about it.
const FAKE_KEY: &str = "sk-ant-fake-000";

#[derive(Debug)]
pub struct Home {
    /// Short, since the path of a socket below it may have 107 bytes.
    root: TempDir,
    pub home: PathBuf,
    pub project: PathBuf,
}

impl Home {
    /// `trusted`: the person has worked in this project before.
    pub fn new(program: Program, trusted: bool) -> Home {
        let root = tempfile::Builder::new().prefix("cr").tempdir_in("/tmp").expect("/tmp can be written");
        let home = root.path().join("home");
        let made = Home { project: home.join("shop"), home, root };
        made.write_project();
        fs::create_dir(made.root.path().join("tmp")).expect("the sandbox can be written");
        made.settings(program, trusted);
        made
    }

    /// The program's own settings.
    pub fn settings(&self, program: Program, trusted: bool) {
        match program {
            Program::Claude(version) => self.write_claude(version, trusted),
            // Its settings name the model's address, which is not known yet.
            Program::Codex => {}
            Program::Gemini | Program::GeminiAcp => self.write_gemini(),
            // It reads those of the worker.
            Program::ClaudeAcp => {}
        }
    }

    pub fn runtime(&self) -> PathBuf {
        self.root.path().join("run")
    }

    pub fn state(&self) -> PathBuf {
        self.root.path().join("state")
    }

    /// The whole environment of everything in the sandbox.
    pub fn env(&self) -> BTreeMap<String, String> {
        let path = |path: PathBuf| path.display().to_string();
        let pairs = [
            ("HOME", path(self.home.clone())),
            // Agents name sockets there by their process id, which another namespace may use as well.
            ("TMPDIR", path(self.root.path().join("tmp"))),
            ("CLAUDE_CODE_TMPDIR", path(self.root.path().join("tmp"))),
            ("PATH", search_path()),
            ("TERM", "xterm-256color".into()),
            ("LANG", "C.UTF-8".into()),
            ("USER", "dev".into()),
            ("LOGNAME", "dev".into()),
            ("SHELL", "/bin/bash".into()),
            ("NO_UPDATE_NOTIFIER", "1".into()),
            ("DO_NOT_TRACK", "1".into()),
            ("COUNSEL_RUNTIME_DIR", path(self.runtime())),
            ("COUNSEL_STATE_DIR", path(self.state())),
        ];
        pairs.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }

    fn write_project(&self) {
        let file = |name: &str, text: &str| write(&self.project.join(name), text);
        file("app.py", &format!("def add(a, b):\n{BEFORE}\n\nprint(add(1, 2))\n"));
        file("README.md", "# shop\n\nA small web shop.\n");
        file("build/out.txt", "x\n");
        write(
            &self.home.join(".gitconfig"),
            "[user]\n\tname = dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n",
        );
        for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "First commit"]] {
            let mut git = Command::new("git");
            git.args(args).current_dir(&self.project).env_clear().envs(self.env());
            assert!(git.status().expect("git is installed").success(), "git {args:?}");
        }
    }

    fn write_claude(&self, version: &str, trusted: bool) {
        let project = json!({
            "allowedTools": [], "history": [], "mcpServers": {}, "hasTrustDialogAccepted": true,
            "hasCompletedProjectOnboarding": true, "projectOnboardingSeenCount": 5,
        });
        let mut projects = serde_json::Map::new();
        if trusted {
            projects.insert(self.project.display().to_string(), project);
        }
        let settings = json!({
            "numStartups": 5, "hasCompletedOnboarding": true, "lastOnboardingVersion": version, "theme": "dark",
            "installMethod": "npm", "autoUpdates": false, "lastReleaseNotesSeen": version,
            "customApiKeyResponses": {"approved": [FAKE_KEY], "rejected": []},
            "hasResetAutoModeOptInForDefaultOffer": true, "migrationVersion": 15,
            "opusProMigrationComplete": true, "sonnet45MigrationComplete": true, "hasSeenTasksHint": true,
            "autoPermissionsNotificationCount": 10, "projects": Value::Object(projects),
        });
        write(&self.home.join(".claude.json"), &settings.to_string());
    }

    fn write_gemini(&self) {
        let settings = json!({
            "general": {
                "disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false,
                "enableAutoUpdateNotification": false,
            },
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": true}},
        });
        write(&self.home.join(".gemini/settings.json"), &settings.to_string());
        let trusted = json!({self.project.display().to_string(): "TRUST_FOLDER"});
        write(&self.home.join(".gemini/trustedFolders.json"), &trusted.to_string());
    }
}

fn codex_settings(url: &str, project: &Path) -> String {
    format!(
        "model = \"gpt-5.1-codex\"\nmodel_provider = \"fake\"\ncheck_for_update_on_startup = false\n\
         [model_providers.fake]\nname = \"fake\"\nbase_url = \"{url}\"\nwire_api = \"responses\"\n\
         env_key = \"FAKE_OPENAI_KEY\"\nrequest_max_retries = 2\nstream_max_retries = 2\n\
         [analytics]\nenabled = false\n[feedback]\nenabled = false\n\
         [projects.\"{}\"]\ntrust_level = \"trusted\"\n",
        project.display()
    )
}

/// Where programs are found: the system's, and node wherever it is installed, which most agents are run by.
fn search_path() -> String {
    let mut folders: Vec<PathBuf> =
        ["/usr/local/bin", "/usr/bin", "/bin"].into_iter().map(PathBuf::from).collect();
    let own = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&own).filter(|folder| folder.join("node").exists()));
    let joined = std::env::join_paths(folders).expect("no folder's name holds a colon");
    joined.to_string_lossy().into_owned()
}

pub fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the sandbox can be written");
    fs::write(path, text).expect("the sandbox can be written");
}
