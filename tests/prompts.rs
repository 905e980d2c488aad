//! What a consultant that says yes to everything may answer of programs that nobody described, and what never.
//!
//! Each row is a screen as a program leaves it, with the cursor at its end, and the kind and the route that come of
//! it where a process is seen to read the line.

use counsel::core::consult::chain::Chain;
use counsel::core::detect::watch::{Snapshot, classify};
use counsel::core::detect::witness::{Blind, Reader, Wait, Witness};
use counsel::core::policy::Policy;
use counsel::core::policy::route::{Asker, Route, route};
use counsel::core::profile::Profiles;
use counsel::core::question::{Kind, Question, State};
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;

fn reading() -> Witness {
    let program = "program".to_owned();
    let wait =
        Wait { pid: 7, thread: 7, started: 1, program, place: 1, sleeps: 1, blocking: true, handles: false };
    Witness { reader: Reader::Reading(wait), canonical: true, echo: true }
}

/// A program that draws its own input line, in an event loop.
fn raw() -> Witness {
    let Reader::Reading(wait) = reading().reader else { unreachable!("made so above") };
    Witness { reader: Reader::Reading(Wait { blocking: false, ..wait }), canonical: false, echo: false }
}

fn hidden() -> Witness {
    Witness { echo: false, ..reading() }
}

fn with(reader: Reader) -> Witness {
    Witness { reader, ..reading() }
}

/// The state, and the question if there is one.
fn seen_at(columns: u16, printed: &str, witness: Option<&Witness>) -> (State, Option<Question>) {
    written_at(columns, printed, witness, "")
}

/// The same where what was written since the last input is known.
fn written_at(
    columns: u16,
    printed: &str,
    witness: Option<&Witness>,
    written: &str,
) -> (State, Option<Question>) {
    let mut screen = Screen::new(Size::new(columns, 40), TerminalIdentity::default());
    screen.feed(printed.replace('\n', "\r\n").as_bytes());
    let profile = Profiles::builtin().get("generic").expect("the generic profile is built in");
    let snapshot = Snapshot {
        grid: screen.grid(),
        title: "",
        status: None,
        modes: screen.modes(),
        alive: true,
        witness,
        asked: None,
        written,
    };
    let verdict = classify(&profile, &snapshot);
    (verdict.state, verdict.question)
}

fn seen(printed: &str, witness: Option<&Witness>) -> (State, Option<Question>) {
    seen_at(100, printed, witness)
}

fn routed(question: &Question) -> Route {
    let chain = Chain::from("yes");
    let asker = Asker { name: "any", consultant: Some(&chain), is_consultant: false };
    route(question, &asker, &Policy::default())
}

fn is_consulted(question: &Question) -> bool {
    matches!(routed(question), Route::Consult { .. })
}

/// Prompts that are a person's, with the kind they have.
const PERSONS: &[(Kind, &str)] = &[
    // Who somebody is.
    (Kind::Login, "login: "),
    (Kind::Login, "host login: "),
    (Kind::Login, "Username: "),
    (Kind::Login, "Username for 'https://github.com': "),
    (Kind::Login, "User name: "),
    (Kind::Login, "Username (leave blank to use 'root'): "),
    (Kind::Login, "Email: "),
    (Kind::Login, "Email address: "),
    (Kind::Login, "Enter your e-mail: "),
    (Kind::Login, "Verification code: "),
    (Kind::Login, "Enter OTP: "),
    (Kind::Login, "One-time code: "),
    (Kind::Login, "Enter the 6-digit code: "),
    (Kind::Login, "Two-factor authentication code: "),
    (Kind::Login, "This operation requires a one-time password.\nEnter OTP: "),
    (Kind::Login, "Authenticator code: "),
    (Kind::Login, "MFA code: "),
    (Kind::Login, "Phone number: "),
    (Kind::Login, "Would you like to log in now? [Y/n] "),
    (Kind::Login, "Sign in with your browser? (y/N) "),
    (Kind::Login, "Authenticate Git with your GitHub credentials? (Y/n) "),
    (Kind::Login, "Log in to your account? [Y/n] "),
    (Kind::Login, "Device code: "),
    (Kind::Login, "Account ID: "),
    // Secrets that are shown as they are typed.
    (Kind::Password, "Password: "),
    (Kind::Password, "Enter passphrase for key '/home/dev/.ssh/id_ed25519': "),
    (Kind::Password, "[sudo] password for dev: "),
    (Kind::Password, "Enter PIN for authenticator: "),
    (Kind::Password, "API key: "),
    (Kind::Password, "Paste your token: "),
    (Kind::Password, "Personal access token: "),
    (Kind::Password, "AWS Secret Access Key [None]: "),
    (Kind::Password, "AWS Access Key ID [None]: "),
    (Kind::Password, "Client secret: "),
    (Kind::Password, "Recovery key: "),
    (Kind::Password, "Card number: "),
    (Kind::Password, "New password: "),
    (Kind::Password, "Retype new password: "),
    // Hosts, keys, certificates.
    (
        Kind::Trust,
        "The authenticity of host 'example.org (93.184.216.34)' can't be established.\n\
         ED25519 key fingerprint is SHA256:AAAA.\nThis key is not known by any other names.\n\
         Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
    ),
    (
        Kind::Trust,
        "The authenticity of host 'example.org' can't be established.\n\
         RSA key fingerprint is MD5:00:11.\nAre you sure you want to continue connecting (yes/no)? ",
    ),
    (
        Kind::Trust,
        "Error validating server certificate for 'https://svn.example.org:443':\n\
         - The certificate is not issued by a trusted authority.\n(R)eject, accept (t)emporarily or accept (p)ermanently? ",
    ),
    (Kind::Trust, "Do you trust the authors of the files in this folder? [y/N] "),
    (Kind::Trust, "Import this GPG key? [y/N] "),
    (Kind::Trust, "Importing GPG key 0x12345678:\n Fingerprint: AAAA BBBB\nIs this ok [y/N]: "),
    (Kind::Trust, "Key fingerprint is AA:BB. Accept? (y/n) "),
    (Kind::Trust, "Store key in cache? (y/n, Return cancels connection) Host key not found: (y/n) "),
    (Kind::Trust, "The SSL certificate is self-signed. Use it? [y/N] "),
    (Kind::Trust, "Do you really want to set this key to ultimate trust? (y/N) "),
    (Kind::Trust, "Trust this certificate? [no]: (y/n) "),
    (Kind::Trust, "Unknown publisher. Use it? [y/N] "),
    (Kind::Trust, "WARNING: Installing from an untrusted source.\nUse this mirror? [y/N] "),
    // What deletes.
    (Kind::Permission, "rm: remove regular file 'notes.txt'? "),
    (Kind::Permission, "rm: remove regular empty file '../x'? "),
    (Kind::Permission, "rm: descend into directory 'src'? "),
    (Kind::Permission, "rm: remove write-protected regular file 'a'? "),
    (Kind::Permission, "Delete branch feature/x on remote? [y/N] "),
    (Kind::Permission, "Delete 3 files? [y/N] "),
    (Kind::Permission, "Remove existing files and continue? (Y/n) "),
    (Kind::Permission, "Are you sure you want to delete the project? (yes/no) "),
    (Kind::Permission, "Drop the table? [y/n] "),
    (Kind::Permission, "Erase the disk? [y/N] "),
    (Kind::Permission, "Wipe the cache? [Y/n] "),
    (Kind::Permission, "Clear all sessions? (y/N) "),
    (Kind::Permission, "Discard changes? [y/N] "),
    (Kind::Permission, "Uninstall 12 packages? [Y/n] "),
    (Kind::Permission, "Purge them? [y/N] "),
    (
        Kind::Permission,
        "WARNING! This will remove:\n  - all stopped containers\nAre you sure you want to continue? [y/N] ",
    ),
    (Kind::Permission, "Proceed (Y/n)? "),
    (
        Kind::Permission,
        "Found existing installation: numpy 2.0\nUninstalling numpy-2.0:\n  Would remove:\n    /x\nProceed (Y/n)? ",
    ),
    (Kind::Permission, "Kill the running server? [y/N] "),
    (Kind::Permission, "Terminate the instance? [y/N] "),
    (
        Kind::Permission,
        "The following packages will be REMOVED:\n  nginx*\n0 upgraded, 0 newly installed, 1 to remove.\n\
         Do you want to continue? [Y/n] ",
    ),
    (Kind::Permission, "Type the repository name to confirm deletion: "),
    (Kind::Permission, "Enter the name of the volume to delete: "),
    (Kind::Permission, "Path to remove: "),
    (Kind::Permission, "To delete this project, type its name below.\nProject name: "),
    (Kind::Permission, "This cannot be undone.\nUse the new schema? [y/N] "),
    (Kind::Permission, "All data on /dev/sdb will be erased.\nUse it? [y/N] "),
    (Kind::Permission, "Revoke the key? [y/N] "),
    // What overwrites or rewrites.
    (Kind::Permission, "Overwrite package.json? [y/N] "),
    (Kind::Permission, "cp: overwrite 'b'? "),
    (Kind::Permission, "mv: replace 'b', overriding mode 0444 (r--r--r--)? "),
    (Kind::Permission, "File 'x' already exists. Overwrite? [y/N] "),
    (Kind::Permission, "replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename: "),
    (Kind::Permission, "Replace the config? (y/n) "),
    (Kind::Permission, "Reset to factory settings? [y/N] "),
    (Kind::Permission, "Revert 4 commits? [y/N] "),
    (Kind::Permission, "Merge into main? [y/N] "),
    (Kind::Permission, "Force-push main to origin? [y/N] "),
    (Kind::Permission, "Rebase 12 commits? [y/N] "),
    (Kind::Permission, "Save changes to file? (y/n) "),
    (Kind::Permission, "Move 14 files? [Y/n] "),
    // What publishes or sends.
    (Kind::Permission, "Push to origin/main? [y/N] "),
    (Kind::Permission, "Publish version 1.0.0 to npm? [y/N] "),
    (Kind::Permission, "Publish to the registry? (y/N) "),
    (Kind::Permission, "Create the release? [Y/n] "),
    (Kind::Permission, "Deploy to production? [y/N] "),
    (Kind::Permission, "Deploy? (y/n) "),
    (Kind::Permission, "Upload the archive? [Y/n] "),
    (Kind::Permission, "Send the mail? [y/N] "),
    (Kind::Permission, "Submit the form? (Y/n) "),
    (Kind::Permission, "Open a pull request? [Y/n] "),
    (Kind::Permission, "Share usage statistics? [Y/n] "),
    (Kind::Permission, "Make the repository public? [y/N] "),
    // What runs or installs.
    (Kind::Permission, "Run sudo rm -rf /opt/x? [y/N] "),
    (Kind::Permission, "Run the migration? [y/N] "),
    (Kind::Permission, "Execute it now? (y/n) "),
    (Kind::Permission, "Install dependencies? [Y/n] "),
    (Kind::Permission, "Need to install the following packages:\n  create-vite@5.0.0\nOk to proceed? (y) "),
    (Kind::Permission, "Install as root? [y/N] "),
    (Kind::Permission, "Install Chromium? [Y/n] "),
    (Kind::Permission, "Apply these changes? [y/N] "),
    (Kind::Permission, "Apply 4 migrations? [y/N] "),
    (
        Kind::Permission,
        "Do you want to perform these actions?\n  Terraform will perform the actions described above.\n  \
         Only 'yes' will be accepted to approve.\n\n  Enter a value: ",
    ),
    (
        Kind::Permission,
        "Plan: 0 to add, 0 to change, 4 to destroy.\nDo you really want to destroy all resources?\n  \
         There is no undo. Only 'yes' will be accepted to confirm.\n\n  Enter a value: ",
    ),
    (
        Kind::Permission,
        "The following NEW packages will be installed:\n  jq\nAfter this operation, 1,024 kB of additional disk space \
         will be used.\nDo you want to continue? [Y/n] ",
    ),
    (Kind::Permission, "Upgrade 31 packages? [Y/n] "),
    (Kind::Permission, "Update the lock file? [Y/n] "),
    (Kind::Permission, "Restart the service? [y/N] "),
    (Kind::Permission, "Reboot now? [y/N] "),
    (Kind::Permission, "Shut down? [y/N] "),
    (Kind::Permission, "Start the build? [Y/n] "),
    (Kind::Permission, "Stop the container? [y/N] "),
    (Kind::Permission, "Download 4 GB? [Y/n] "),
    (Kind::Permission, "Format the disk? [y/N] "),
    (Kind::Permission, "Flash the firmware? [y/N] "),
    (Kind::Login, "Enable root login? [y/N] "),
    (Kind::Permission, "Use sudo? [y/N] "),
    (Kind::Permission, "Grant access to all users? [y/N] "),
    (Kind::Permission, "Allow incoming connections? [y/N] "),
    (Kind::Permission, "Do you accept the license terms? [y/N] "),
    (Kind::Permission, "Do you agree to the terms of service? (y/n) "),
    (Kind::Permission, "Proceed with installation? [Y/n] "),
    (Kind::Permission, "Confirm? [y/N] "),
    (Kind::Permission, "Approve the plan? [y/N] "),
    (Kind::Permission, "Type 'yes' to confirm: "),
    (Kind::Permission, "Pay $20.00 now? [y/N] "),
    (Kind::Permission, "Subscribe to the newsletter? [Y/n] "),
    (Kind::Permission, "Enable telemetry? [Y/n] "),
    (Kind::Permission, "Use the production database? [y/N] "),
    (Kind::Permission, "Save the password? [y/N] "),
    // What cannot be placed.
    (Kind::YesNo, "Continue? [y/N] "),
    (Kind::YesNo, "Do you want to continue? [Y/n] "),
    (Kind::YesNo, "Are you sure? [y/N] "),
    (Kind::YesNo, "Really? (yes/no) "),
    (Kind::YesNo, "Is this OK? (yes) "),
    (Kind::YesNo, "OK? [y/n] "),
    (Kind::YesNo, "Frobnicate the widgets? [y/N] "),
    (Kind::YesNo, "Would you like to yeet it? [y/N] "),
    (Kind::YesNo, "Do it anyway? [y/N] "),
    (Kind::YesNo, "Go on? [Y/n] "),
    (Kind::Trust, "Use this ssh key? [y/N] "),
    (Kind::YesNo, "Add the user to the group? [y/N] "),
    (Kind::YesNo, "Enable remote access? [y/N] "),
    (Kind::YesNo, "Soll das so bleiben? [y/N] "),
    (Kind::YesNo, "*** foo.conf (Y/I/N/O/D/Z) [default=N] ? [y/n] "),
    (Kind::Text, "Value: "),
    (Kind::Text, "Enter a value: "),
    (Kind::Text, "Command: "),
    (Kind::Text, "test command: "),
    (Kind::Text, "Remote URL: "),
    (Kind::Text, "Server name: "),
    (Kind::Text, "Which file? "),
    (Kind::Text, "Output file name: "),
    (Kind::Text, "Enter selection: "),
    (Kind::Text, "Your answer: "),
    (Kind::Text, "Branch name: "),
    (Kind::Text, "Say something: "),
    // What an outsider with another list asked.
    (Kind::YesNo, "Use insecure registry? [y/N] "),
    (Kind::YesNo, "Use paid plan? [Y/n] "),
    (Kind::YesNo, "Use the free trial? [Y/n] "),
    (Kind::YesNo, "Enable yolo mode? [y/N] "),
    (Kind::YesNo, "Enable bypass mode? [y/N] "),
    (Kind::YesNo, "Use unsigned packages? [y/N] "),
    (Kind::YesNo, "Use no encryption? [y/N] "),
    (Kind::Text, "6-digit number: "),
    (Kind::Text, "Number: "),
    (Kind::Text, "Enter a number: "),
    (Kind::Text, "Number (PID): "),
    (Kind::Text, "Name (card): "),
    (Kind::Text, "Name on card: "),
    (Kind::Text, "Port to forward: "),
    (Kind::Text, "PID number: "),
    (Kind::YesNo, "This is destructive, it takes everything.\nUse it? [y/N] "),
    (Kind::YesNo, "This empties your tables.\nUse the new schema? [y/N] "),
    (Kind::YesNo, "The new one goes over the old one.\nUse TypeScript? [Y/n] "),
    (Kind::YesNo, "Target is a non-empty folder.\nUse it? [Y/n] "),
    (Kind::Text, "Your one-time code was sent by mail.\nNumber: "),
    (Kind::Text, "We have sent six digits to your phone.\nYour number: "),
    // Other ways to say what harms, and other tongues.
    (Kind::YesNo, "Use the default signing identity? [Y/n] "),
    (Kind::YesNo, "Code-sign with the default profile? [Y/n] "),
    (Kind::YesNo, "Use notarization? [Y/n] "),
    (Kind::Permission, "Enable billing? [y/N] "),
    (Kind::Permission, "Add a payment method? [Y/n] "),
    (Kind::YesNo, "Use the pro tier? [Y/n] "),
    (Kind::YesNo, "Enable autopay? [Y/n] "),
    (Kind::YesNo, "Set visibility to everyone? [y/N] "),
    (Kind::YesNo, "Use world-readable permissions? [y/N] "),
    (Kind::YesNo, "Enable anonymous reporting? [Y/n] "),
    (Kind::YesNo, "Would you like to help improve the product? [Y/n] "),
    (Kind::YesNo, "Enable tracing to our cloud? [Y/n] "),
    (Kind::YesNo, "Add this signing authority? [y/N] "),
    (Kind::YesNo, "Include your contacts? [Y/n] "),
    (Kind::YesNo, "Set up the whole disk? [Y/n] "),
    (Kind::YesNo, "Use entire drive? [Y/n] "),
    (Kind::YesNo, "Use ext4 on sdb? [y/N] "),
    (Kind::YesNo, "Set the DNS record? [y/N] "),
    (Kind::YesNo, "Add an MX record? [y/N] "),
    (Kind::YesNo, "Enable passwordless mode? [y/N] "),
    (Kind::YesNo, "Use setuid? [y/N] "),
    (Kind::Permission, "Use elevated rights? [y/N] "),
    (Kind::Permission, "Use --force? [y/N] "),
    (Kind::YesNo, "Go back to version 1? [y/N] "),
    (Kind::YesNo, "Use the previous version? [y/N] "),
    (Kind::YesNo, "Use yesterday's backup? [y/N] "),
    (Kind::YesNo, "Empty the table first? [y/N] "),
    (Kind::YesNo, "Zero the volume? [y/N] "),
    (Kind::YesNo, "Add bob as collaborator? [Y/n] "),
    (Kind::YesNo, "Add everyone to the team? [Y/n] "),
    (Kind::YesNo, "Use a world-open bucket? [y/N] "),
    (Kind::YesNo, "Enable port mapping? [y/N] "),
    (Kind::Permission, "Enable auto-approve? [y/N] "),
    (Kind::YesNo, "Disable the sandbox? [y/N] "),
    (Kind::Login, "Would you like to skip verification? [y/N] "),
    (Kind::YesNo, "Enable unattended mode? [y/N] "),
    (Kind::YesNo, "Add it to startup? [y/N] "),
    (Kind::YesNo, "Use my location? [y/N] "),
    (Kind::YesNo, "Enable camera? [y/N] "),
    (Kind::YesNo, "Enable microphone? [y/N] "),
    (Kind::YesNo, "Use plain HTTP? [y/N] "),
    (Kind::YesNo, "Alles vernichten? [y/N] "),
    (Kind::YesNo, "Use alles oder nichts? [y/N] "),
    (Kind::YesNo, "Supprimer le dossier? [y/N] "),
    (Kind::YesNo, "Borrar todo? [y/N] "),
    (Kind::YesNo, "Use \u{5168}\u{90e8}\u{5220}\u{9664}? [y/N] "),
    (Kind::YesNo, "Alle Daten sind danach weg.\nUse TypeScript? [Y/n] "),
    (Kind::YesNo, "Say goodbye to your photos.\nUse TypeScript? [Y/n] "),
    (Kind::YesNo, "Your photos will not be there any more.\nUse TypeScript? [Y/n] "),
    (Kind::YesNo, "A yes hands the box to strangers.\nInclude examples? [Y/n] "),
    (Kind::Text, "Which drive gets zeroed?\nName: "),
    (Kind::Text, "Who gets in from now on?\nName: "),
    (Kind::Text, "The following person becomes an owner.\nYour name: "),
    (Kind::Text, "Payment details\nName: "),
    (Kind::Text, "Sort number: "),
    (Kind::Text, "Serial number: "),
    (Kind::Text, "License number: "),
    (Kind::Text, "Number of shares to sell: "),
    (Kind::Text, "Version to go back to: "),
    (Kind::Text, "Name of the collaborator: "),
    (Kind::Text, "Legal name: "),
    (Kind::Text, "Time to halt the machine: "),
    (Kind::Text, "Size of the partition: "),
    (Kind::Text, "Port for the tunnel: "),
    (Kind::Text, "Label of the medium: "),
    (Kind::Text, "Nom du projet: "),
];

/// Menus that are a person's: what they ask about, and their rows.
const PERSONS_MENUS: &[(&str, &[&str])] = &[
    ("Which key is it?", &["ED25519 SHA256:abcd (new)", "none"]),
    ("Which environment?", &["live", "staging"]),
    ("What visibility?", &["everyone on the internet", "me"]),
    ("Which disk?", &["/dev/sda entire", "/dev/sdb"]),
    ("Pick a plan", &["Team, 49 a month", "Solo"]),
    ("How shall we go on?", &["Go on", "Stop"]),
    ("What do you want to do with the 4 conflicting files?", &["Take mine", "Take theirs"]),
    ("What about the remote history?", &["Take mine", "Take theirs"]),
    ("Host key", &["Take it", "Leave"]),
    ("Repository visibility", &["Public", "Private"]),
    ("Which database should be emptied?", &["shop", "blog"]),
    ("Select a template", &["Blog", "Everything goes away for good now"]),
    ("Pick a color", &["Red", "Pay $20"]),
    ("Pick one", &["Zap it", "Leave"]),
    ("How should the schema get there?", &["Drop and create", "Alter"]),
    ("Which card?", &["Visa 4242", "Master 1111"]),
    ("Select a language", &["English", "sudo"]),
    ("Pick a font", &["Serif", "~/.ssh"]),
    ("Where should it run?", &["On the cluster", "Here"]),
    ("Approval mode", &["Ask", "Yolo"]),
    ("Wie weiter?", &["Alles weg", "Nichts"]),
    // Rows with names of their own may be words nobody has heard of, but no sentences.
    ("Which color do you want?", &["Red", "Alles loeschen"]),
    ("Which color do you want?", &["Red", "Alles Loeschen"]),
    ("Which color do you want?", &["Red", "overschrijf"]),
    ("Which color do you want?", &["Red", "Pick Overschrijf"]),
    ("Which color do you want?", &["Red", "Tout effacer maintenant"]),
];

/// Menus that a consultant answers.
const HARMLESS_MENUS: &[(&str, &[&str])] = &[
    ("Which database?", &["PostgreSQL", "SQLite", "Redis"]),
    ("Which database should I use for the session store?", &["PostgreSQL", "SQLite"]),
    ("Select a framework:", &["Vanilla", "Vue", "React", "Frobnix"]),
    ("Select a variant:", &["TypeScript", "TypeScript + SWC", "JavaScript"]),
    ("Pick a project type.", &["TypeScript", "JavaScript", "CoffeeScript"]),
    ("What do you want to build?", &["A website", "A library", "A tool"]),
    ("Pick a country", &["Austria", "Belgium", "Burkina Faso"]),
    ("Select a package manager", &["npm", "yarn", "pnpm"]),
    ("Pick a color", &["Red", "Green", "Heliotrope"]),
    ("Pick your favorite actor", &["Cage", "Clooney", "Gyllenhaal"]),
    ("Pick a flavor", &["apple", "grape", "watermelon"]),
];

/// Prompts that a consultant answers, with the kind they have.
const HARMLESS: &[(Kind, &str)] = &[
    (Kind::YesNo, "Use TypeScript? [Y/n] "),
    (Kind::YesNo, "Would you like to use TypeScript? [Y/n] "),
    (Kind::YesNo, "Would you like to use ESLint? (Y/n) "),
    (Kind::YesNo, "? Would you like to use Tailwind CSS? (y/N) "),
    (Kind::YesNo, "Would you like your code inside a `src/` directory? (y/N) "),
    (Kind::YesNo, "Would you like to customize the import alias? [y/N] "),
    (Kind::YesNo, "Do you want to use tabs? [y/N] "),
    (Kind::YesNo, "Do you want to add unit tests? (yes/no) "),
    (Kind::YesNo, "Should we include examples? [Y/n] "),
    (Kind::YesNo, "Add Prettier for code formatting? (Y/n) "),
    (Kind::YesNo, "Include a README? [Y/n] "),
    (Kind::YesNo, "Enable strict mode? [y/N] "),
    (Kind::YesNo, "Use the default settings? [Y/n] "),
    (Kind::YesNo, "Initialize a git repository? (Y/n) "),
    (Kind::YesNo, "Create a README? [Y/n] "),
    (Kind::YesNo, "Generate a sample config? [Y/n] "),
    (Kind::YesNo, "Is this a TypeScript project? [y/N] "),
    (Kind::YesNo, "Does your project use ES modules? (y/n) "),
    (Kind::YesNo, "Do you use Docker? [y/N] "),
    (Kind::YesNo, "Set up ESLint? [Y/n] "),
    (Kind::YesNo, "(1/1) Stage this hunk [y,n,q,a,d,e,p,?]? "),
    (Kind::YesNo, "Prefer single quotes? [Y/n] "),
    (Kind::YesNo, "With tests? [Y/n] "),
    (Kind::YesNo, "Show hidden entries? [y/N] "),
    (Kind::Text, "Project name: "),
    (Kind::Text, "package name: (shop) "),
    (Kind::Text, "Package name [shop]: "),
    (Kind::Text, "version: (1.0.0) "),
    (Kind::Text, "description: "),
    (Kind::Text, "keywords: "),
    (Kind::Text, "author: "),
    (Kind::Text, "license: (ISC) "),
    (Kind::Text, "Title: "),
    (Kind::Text, "Port [3000]: "),
    (Kind::Text, "Port: "),
    (Kind::Text, "What is your project named? "),
    (Kind::Text, "What's your name? "),
    (Kind::Text, "Your name: "),
    (Kind::Text, "Where should we create your project? "),
    (Kind::Text, "Project directory: "),
    (Kind::Text, "How many workers? "),
    (Kind::Text, "Pick a color (red/green/blue): "),
    (Kind::Text, "Favourite language? "),
    (Kind::Text, "Country code: "),
    (Kind::Text, "Enter a number between 1 and 10: "),
    (Kind::YesNo, "Would you like to use App Router? (recommended) (Y/n) "),
    (Kind::YesNo, "Would you like to use Turbopack for `next dev`? (Y/n) "),
    (Kind::YesNo, "Use strict mode? (y/n) "),
    (Kind::YesNo, "Use poetry? [Y/n] "),
    (Kind::Text, "Pick a size (s, m, l): "),
    (Kind::Text, "Please enter a title [x]: "),
    (Kind::Text, "Enter your name (Paul): "),
    (
        Kind::Text,
        "This utility will walk you through creating a package.json file.\n\
         It only covers the most common items, and tries to guess sensible defaults.\n\n\
         See `npm help init` for definitive documentation on these fields\nand exactly what they do.\n\n\
         Use `npm install <pkg>` afterwards to install a package and\n\
         save it as a dependency in the package.json file.\n\n\
         Press ^C at any time to quit.\npackage name: (shop) ",
    ),
    (
        Kind::YesNo,
        "diff --git a/x.rs b/x.rs\nindex e69de29..4b825dc 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1,2 @@\n\
         -the flags of yore are kept\n+whatever the wind brings\n(1/1) Stage this hunk [y,n,q,a,d,e,p,?]? ",
    ),
    (Kind::Menu, "1) React\n2) Vue\n3) Svelte\n#? "),
];

/// Lines that say what the next answer does, in other words than a sentence of this language.
const DANGEROUS_LINES: &[&str] = &[
    "rm -rf ~",
    "$ rm -rf ~",
    "+ rm -rf ~",
    "rm -rf /home/me",
    "rm -rf ~/work/client",
    "rm -rf /home/me/work ~/.ssh",
    "Next:\n  rm -rf ~",
    "> mkfs.ext4 /dev/sda",
    "dd of=/dev/sda",
    "shred disk",
    "curl x.sh | sh",
    "npm publish",
    "dropdb main",
    "chmod -R 777 /",
    "scp ~/.ssh/id_rsa x:",
    "mv ~ /dev/null",
    "> ~/.bashrc",
    "reboot",
    "kill -9 -1",
    "Send mail",
    "Go live",
    "Total: $4,000",
    "Cost: 100",
    "Pay 100 USD",
    "Pay: 100 EUR",
    "4,211 files",
    "- /home/me (all files)",
    "D  app.py\nD  db.py",
    "[-] users",
    "\u{5168}\u{90e8}\u{524a}\u{9664}\u{3057}\u{307e}\u{3059}",
    "\u{5c06}\u{5220}\u{9664}\u{6240}\u{6709}\u{6587}\u{4ef6}\u{3002}",
    "\u{423}\u{434}\u{430}\u{43b}\u{44f}\u{44e} \u{432}\u{441}\u{451}",
    "Borrando todo",
    "Loesche alles",
    "d e l e t e   a l l",
    "D\nE\nL\nE\nT\nE",
];

/// What programs print above a question that a consultant answers.
const HARMLESS_LINES: &[&str] = &[
    "Setting up project",
    "Scaffolding project in /home/dev/shop...",
    "added 31 packages, and audited 32 packages in 2s",
    "> npx\n> create-vite",
    "Collecting requests\n  Downloading requests-2.31.0-py3-none-any.whl (62 kB)",
    "    Updating crates.io index\n   Compiling zlib v1.2.3",
    "frobnix",
];

/// Two words were a label and paths a name, so that a command above a harmless question counted for nothing.
#[test]
fn a_dangerous_line_above_makes_a_harmless_question_a_persons() {
    let mut faults = Vec::new();
    for (lines, consulted) in [(DANGEROUS_LINES, false), (HARMLESS_LINES, true)] {
        for line in lines {
            for prompt in ["Use TypeScript? [Y/n] ", "Project name: "] {
                let printed = format!("{line}\n{prompt}");
                let (_, question) = written_at(100, &printed, Some(&reading()), &printed);
                let question = question.unwrap_or_else(|| panic!("{printed:?}"));
                if is_consulted(&question) != consulted {
                    faults.push(format!("{printed:?}: {:?}, {:?}", question.kind, routed(&question)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// A mark on one row and reverse video on another: the program took the other.
#[test]
fn two_rows_that_are_highlighted_are_a_persons() {
    let drawn = |mark: usize, inverse: usize| {
        let row = |at: usize, label: &str| {
            let mark = if at == mark { "\u{276f}" } else { " " };
            let (on, off) = if at == inverse { ("\x1b[7m", "\x1b[0m") } else { ("", "") };
            format!("{mark} {on}{label}{off}\n")
        };
        let rows: String =
            ["React", "Vue", "Svelte"].iter().enumerate().map(|(at, label)| row(at, label)).collect();
        format!("Which framework do you want to use?\n{rows}\x1b[?25l")
    };
    let (_, question) = seen(&drawn(1, 1), Some(&raw()));
    let question = question.expect("it is asked");
    assert!(question.selected == Some(1) && is_consulted(&question), "{question:?}");
    for (mark, inverse) in [(2, 0), (0, 2), (0, 1)] {
        let (_, question) = seen(&drawn(mark, inverse), Some(&raw()));
        let question = question.expect("it is asked");
        assert!(!is_consulted(&question) && question.selected.is_none(), "{mark} {inverse}: {question:?}");
    }
}

/// The first row of such a list was dropped, and the number of another one was typed.
#[test]
fn a_list_whose_numbers_do_not_tell_its_rows_apart_is_a_persons() {
    let prompt = "Which framework do you want to use? ";
    for rows in [
        "0) React\n1) Vue\n2) Svelte",
        "1) React\n1) Vue\n2) Svelte",
        "1) React\n2) Vue\n2) Svelte",
        "3) React\n2) Vue\n1) Svelte",
        "0) React\n    small\n1) Vue\n    large\n2) Svelte",
    ] {
        let (state, question) = seen(&format!("{rows}\n{prompt}"), Some(&reading()));
        assert_eq!(state, State::Asking, "{rows:?}");
        let question = question.expect("it is asked");
        assert!(!is_consulted(&question) && question.options.is_empty(), "{rows:?}: {question:?}");
    }
    let (_, question) = seen(&format!("1) React\n2) Vue\n3) Svelte\n{prompt}"), Some(&reading()));
    let question = question.expect("it is asked");
    assert!(is_consulted(&question) && question.options.len() == 3, "{question:?}");
    // The times of a log are no list.
    for log in ["12:03:11 ready\n12:03:12 ready", "00:59:59 ready\n01:00:00 ready"] {
        let (_, question) = seen(&format!("{log}\nTitle: "), Some(&reading()));
        assert_eq!(question.map(|question| question.kind), Some(Kind::Text), "{log:?}");
    }
}

#[test]
fn a_persons_prompts_are_never_a_machines() {
    assert!(PERSONS.len() >= 150, "{}", PERSONS.len());
    let mut faults = Vec::new();
    for (kind, printed) in PERSONS {
        for witness in [reading(), raw()] {
            match seen(printed, Some(&witness)) {
                (State::Asking, Some(question)) => {
                    if question.kind != *kind || is_consulted(&question) {
                        faults.push(format!("{printed:?}: {:?}, {:?}", question.kind, routed(&question)));
                    }
                }
                other => faults.push(format!("{printed:?}: {other:?}")),
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Host keys, plans and disks were a consultant's to choose where they stood in rows.
#[test]
fn a_persons_menus_are_never_a_machines() {
    let drawn = |mark: &str, prompt: &str, rows: &[&str]| {
        let rest: String = rows[1..].iter().map(|row| format!("  {row}\n")).collect();
        format!("{mark}{prompt} \n\u{276f} {}\n{rest}\x1b[?25l", rows[0])
    };
    let mut faults = Vec::new();
    for (menus, consulted) in [(PERSONS_MENUS, false), (HARMLESS_MENUS, true)] {
        for (prompt, rows) in menus {
            for mark in ["? ", ""] {
                match seen(&drawn(mark, prompt, rows), Some(&raw())) {
                    (State::Asking, Some(question)) if question.options.len() == rows.len() => {
                        if is_consulted(&question) != consulted {
                            faults.push(format!("{prompt:?}: {:?}, {:?}", question.kind, routed(&question)));
                        }
                    }
                    other => faults.push(format!("{prompt:?}: {other:?}")),
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// What a library says of its keys stood above the rows, and made them a person's.
#[test]
fn the_keys_a_library_names_are_no_part_of_what_it_asks() {
    for (prompt, hint) in [
        ("Select a framework: \u{203a} - Use arrow-keys. Return to submit.", ""),
        ("Which database? (Use arrow keys)", ""),
        ("Which database?", "\n\u{2191}\u{2193} navigate \u{2022} \u{23ce} select"),
        (
            "Pick tools",
            "\n\u{2191}\u{2193} navigate \u{2022} space select \u{2022} a all \u{2022} i invert \u{2022} \u{23ce} submit",
        ),
        ("Pick tools (Use arrow keys to move, <space> to select, <a> to toggle, <i> to invert)", ""),
    ] {
        let printed = format!("? {prompt}\n\u{276f} React\n  Vue\n{hint}\x1b[?25l");
        let (_, question) = seen(&printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}"));
        assert!(is_consulted(&question), "{printed:?}: {:?} {question:?}", routed(&question));
    }
}

#[test]
fn harmless_prompts_are_answered() {
    let mut faults = Vec::new();
    for (kind, printed) in HARMLESS {
        match seen(printed, Some(&reading())) {
            (State::Asking, Some(question)) if question.kind == *kind && is_consulted(&question) => {}
            (State::Asking, Some(question)) => {
                faults.push(format!("{printed:?}: {:?}, {:?}", question.kind, routed(&question)));
            }
            other => faults.push(format!("{printed:?}: {other:?}")),
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// The same words at every width: a prompt that the terminal breaks is no other prompt.
#[test]
fn no_width_makes_a_prompt_harmless() {
    let mut faults = Vec::new();
    for columns in [20, 30, 44, 60, 132] {
        for (_, printed) in PERSONS {
            let (_, question) = seen_at(columns, printed, Some(&reading()));
            if question.as_ref().is_none_or(is_consulted) {
                faults.push(format!("{columns}: {printed:?}: {question:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    let (_, question) = seen_at(20, "Delete branch feature/x on remote? [y/N] ", Some(&reading()));
    assert_eq!(
        question.map(|question| question.prompt).as_deref(),
        Some("Delete branch feature/x on remote? [y/N]")
    );
}

#[test]
fn what_is_not_echoed_is_a_secret_whatever_it_says() {
    for printed in HARMLESS.iter().chain(PERSONS).map(|(_, printed)| *printed).chain(["> ", "x "]) {
        let (state, question) = seen(printed, Some(&hidden()));
        assert_eq!(
            (state, question.map(|question| question.kind)),
            (State::Asking, Some(Kind::Password)),
            "{printed:?}"
        );
    }
}

#[test]
fn where_nobody_reads_nothing_is_asked() {
    let lines =
        ["Installing: numpy ", "Progress: 42% ", "hint: Waiting for your editor to close the file... ", "$ "];
    for printed in HARMLESS.iter().chain(PERSONS).map(|(_, printed)| *printed).chain(lines) {
        assert_eq!(seen(printed, Some(&with(Reader::Nobody))), (State::Working, None), "{printed:?}");
    }
}

#[test]
fn where_the_system_does_not_tell_words_are_a_persons() {
    let ssh = Reader::Unknown(Blind::Relayed { program: "ssh".into() });
    for reader in [ssh, Reader::Unknown(Blind::Unsupported), Reader::MayRead { program: "whiptail".into() }] {
        for (_, printed) in HARMLESS {
            let (state, question) = seen(printed, Some(&with(reader.clone())));
            assert!(
                state == State::Asking && question.as_ref().is_some_and(|question| !is_consulted(question)),
                "{printed:?}"
            );
        }
    }
    let (_, question) = seen("Use TypeScript? [Y/n] ", None);
    assert!(question.is_some_and(|question| !is_consulted(&question)), "nobody looked");
}

/// What a line of progress looks like was taken for a prompt.
#[test]
fn a_line_with_words_behind_its_colon_asks_only_where_it_is_read() {
    for printed in ["Installing: numpy ", "Progress: 42% ", "Name: Bob "] {
        assert_eq!(seen(printed, None).1, None, "{printed:?}");
    }
    assert!(seen("Name: Bob ", Some(&reading())).1.is_some_and(|question| question.typing));
}

/// The Enter behind a letter was never sent: with the letter behind it, the question was taken for another one.
#[test]
fn a_letter_behind_a_bold_question_is_its_answer() {
    let bold = "\x1b[34m?\x1b[39m \x1b[1mUse TypeScript?\x1b[22m \x1b[2m(Y/n)\x1b[22m ";
    let (_, asked) = seen(bold, Some(&raw()));
    let (_, typed) = seen(&format!("{bold}y"), Some(&raw()));
    let (asked, typed) = (asked.expect("it asks"), typed.expect("it still asks"));
    assert_eq!((asked.kind, asked.typing), (Kind::YesNo, false));
    assert_eq!(typed.fingerprint(), asked.fingerprint());
    // What was printed has the letter in it; everything else is as it was.
    assert_eq!(typed, Question { typing: true, origin: typed.origin.clone(), ..asked });
    let name = "\x1b[34m?\x1b[39m \x1b[1mProject name:\x1b[22m ";
    let (_, offered) = seen(&format!("{name}\x1b[2m(my-app)\x1b[22m"), Some(&raw()));
    let (_, typed) = seen(&format!("{name}demo"), Some(&raw()));
    let (offered, typed) = (offered.expect("it asks"), typed.expect("it still asks"));
    assert_eq!((offered.kind, offered.prompt.as_str(), offered.typing), (Kind::Text, "Project name:", false));
    assert!(typed.typing && typed.fingerprint() == offered.fingerprint(), "{typed:?}");
}

/// A field that draws stars for letters looks like any other until something is typed into it.
#[test]
fn words_for_a_field_that_the_program_draws_are_a_persons_unless_it_offers_some() {
    let bold = |words: &str, behind: &str| format!("\x1b[34m?\x1b[39m \x1b[1m{words}\x1b[22m {behind}");
    let shown = [
        bold("Project name:", "\x1b[2m(my-app)\x1b[22m"),
        bold("Project name", "\x1b[90m\u{203a}\x1b[39m \x1b[90mvite-project\x1b[39m"),
        "package name: (shop) ".to_owned(),
    ];
    for (printed, consulted) in shown.iter().map(|printed| (printed.as_str(), true)).chain([
        (bold("Project name:", "").as_str(), false),
        ("Project name: ", false),
        ("Title: ", false),
    ]) {
        let (_, question) = seen(printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}"));
        assert_eq!(is_consulted(&question), consulted, "{printed:?}: {question:?}");
        let echoing = Witness { echo: true, ..raw() };
        let (_, question) = seen(printed, Some(&echoing));
        assert!(question.is_some_and(|question| is_consulted(&question)), "{printed:?}");
    }
}

/// Only the last line of what was asked was told, or the frame around the field.
#[test]
fn a_box_with_buttons_asks_with_all_its_words() {
    let bare = "┌─────────────────────────┐\n│                         │\n│ Would you like to use   │\n                │ the cache of packages?  │\n│                         │\n│    <Yes>      <No>      │\n                │                         │\n└─────────────────────────┘\n";
    let field = "┌────────Choose───────────┐\n│ Enter your name         │\n│ ┌─────────────────────┐ │\n                 │ │                     │ │\n│ └─────────────────────┘ │\n├─────────────────────────┤\n                 │   <  OK  >  <Cancel>    │\n└─────────────────────────┘\n";
    for (printed, words) in
        [(bare, "Would you like to use the cache of packages?"), (field, "Enter your name")]
    {
        let (state, question) = seen(&format!("{printed}\x1b[?25l"), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed} {state:?}"));
        assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, words));
        assert!(!is_consulted(&question));
    }
}

/// Nobody was called for prompts that look like nothing known.
#[test]
fn whoever_reads_a_line_asks_for_something() {
    for (printed, prompt, plain) in [
        ("Speak, friend, and enter ", "Speak, friend, and enter", false),
        ("Press ENTER to go on", "Press ENTER to go on", false),
        ("Enter a number between 1 and 10\n", "Enter a number between 1 and 10", true),
        ("Enter something\n", "Enter something", false),
    ] {
        let (state, question) = seen(printed, Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!(question.prompt, prompt);
        assert_eq!(is_consulted(&question), plain, "{printed:?}");
    }
    assert_eq!(seen("line\n", Some(&reading())).1, None, "a filter waits for its input and asks nothing");
}

/// The answer to one question may be the yes to the next.
#[test]
fn what_was_answered_above_is_not_held_against_the_next_question() {
    let printed = "Delete the old sessions? [y/N] n\nUse TypeScript? [Y/n] ";
    assert!(seen(printed, Some(&reading())).1.is_some_and(|question| is_consulted(&question)));
    let printed = "dev@host:~$ rm -rf build; setup\nUse TypeScript? [Y/n] ";
    assert!(seen(printed, Some(&reading())).1.is_some_and(|question| is_consulted(&question)));
}

/// Python's inquirer draws its rows and leaves the cursor in sight below them: that was `unknown`, and with `❯` it
/// was taken for a shell at work. Nobody was called.
#[test]
fn rows_above_the_cursor_are_a_menu_where_somebody_takes_keys() {
    let drawn = "\x1b[J\r\x1b[m[\x1b[33m?\x1b[m]\x1b[m Which database?: \n \x1b[36m> PostgreSQL\x1b[m\x1b[K\n \
                 \x1b[m  SQLite\x1b[m\x1b[K\n \x1b[m  Redis\x1b[m\x1b[K\n";
    let other = "Which database?\n❯ PostgreSQL\n  SQLite\n  Redis\n";
    for printed in [drawn, other] {
        let (state, question) = seen(printed, Some(&raw()));
        let question = question.expect("it is asked");
        let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
        assert_eq!((state, question.kind, question.selected), (State::Asking, Kind::Menu, Some(0)));
        assert_eq!(
            (question.prompt.as_str(), &labels[..]),
            ("Which database?", &["PostgreSQL", "SQLite", "Redis"][..])
        );
        // Rows that were only printed, of a program that reads lines or nothing.
        for witness in [reading(), with(Reader::Nobody)] {
            let (_, question) = seen(printed, Some(&witness));
            assert!(question.is_none_or(|question| question.options.is_empty()), "{printed:?} {witness:?}");
        }
    }
    let boxes = "\x1b[m[\x1b[33m?\x1b[m]\x1b[m Which features?: \n \x1b[36m> [ ] Audit log\x1b[m\x1b[K\n \
                 \x1b[m  [X] Rate limit\x1b[m\x1b[K\n";
    let (_, question) = seen(boxes, Some(&raw()));
    let question = question.expect("it is asked");
    let ticks: Vec<Option<bool>> = question.options.iter().map(|option| option.checked).collect();
    assert_eq!(
        (question.kind, question.multi, &ticks[..]),
        (Kind::Multi, true, &[Some(false), Some(true)][..])
    );
    assert_eq!(question.prompt, "Which features?");
}

/// A line editor shows its own line below what was printed, and the keys are for that.
#[test]
fn rows_above_a_line_that_is_edited_are_no_menu() {
    for prompt in [">>> ", "$ ", "dev@box:~$ ", "> "] {
        let (_, question) = seen(&format!("❯ PostgreSQL\n  SQLite\n{prompt}"), Some(&raw()));
        assert!(question.is_none_or(|question| question.kind != Kind::Menu), "{prompt}");
    }
}
