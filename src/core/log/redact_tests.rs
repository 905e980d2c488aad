//! Secrets of every known form go; ordinary text stays.

use super::*;

/// Made up, in the form of the real ones. Put together here so that no scanner takes them for real.
fn secrets() -> Vec<String> {
    let tail = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1B4D7F";
    let prefixes = [
        "sk-ant-api03-",
        "sk-proj-",
        "sk-",
        "sk_live_",
        "rk_live_",
        "whsec_",
        "ghp_",
        "gho_",
        "ghs_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xapp-",
        "ya29.",
        "GOCSPX-",
        "npm_",
        "pypi-",
        "hf_",
        "gsk_",
        "dop_v1_",
        "hvs.",
        "shpat_",
        "dckr_pat_",
        "lin_api_",
        "AGE-SECRET-KEY-1",
        "AIza",
        "gldt-",
        "xoxp-",
        "xoxe-",
        "rk_test_",
        "ghu_",
        "ghr_",
        "ntn_",
        "sbp_",
        "sntrys_",
        "NRAK-",
        "PMAK-",
        "pul-",
        "figd_",
        "sq0atp-",
        "rubygems_",
        "nvapi-",
        "pplx-",
        "fm2_",
        "dp.pt.",
        "glc_",
        "r8_",
        "xai-",
        "ATATT",
    ];
    let mut all: Vec<String> = prefixes.iter().map(|prefix| format!("{prefix}{tail}")).collect();
    all.push(format!("{}IOSFODNN7EXAMPLE", "AKIA"));
    all.push(format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0{tail}.{tail}"));
    all.push(format!("123456789:{tail}abc"));
    all
}

#[test]
fn tokens_go_wherever_they_stand() {
    for secret in secrets() {
        for around in
            ["X", "key is X.", "a\n| X\nb", "`X`", "(X)", "curl -H 'Authorization: Bearer X'", "f(\"X\")"]
        {
            let text = around.replace('X', &secret);
            let after = redact(&clean(&text));
            assert!(!after.contains(&secret[4..]), "{text:?} became {after:?}");
            assert!(after.contains(REMOVED), "{after:?}");
        }
    }
}

#[test]
fn a_token_that_a_terminal_broke_goes_with_its_rest() {
    for secret in secrets() {
        if secret.len() < 40 {
            continue;
        }
        let (head, rest) = secret.split_at(secret.len() - 10);
        for seam in ["\n", "\n  ", "\n│ ", "   │\n│ ", "\u{200b}", "\x1b[0m"] {
            let after = redact(&clean(&format!("{head}{seam}{rest}")));
            assert!(!after.contains(rest), "{head}{seam:?}{rest} became {after:?}");
        }
    }
}

/// Claude Code indents what goes on, and a box on a narrow screen leaves half of one in a row.
#[test]
fn a_token_that_is_broken_early_goes_as_well() {
    let secret = format!("{}_Zx9kQ2mN7pR4sT6vW8yB1cD3eF5gH0jK2lM4", "ghp");
    for seam in ["\n   ", "         │\n│ "] {
        let (head, rest) = secret.split_at(18);
        let after = redact(&clean(&format!("│ C {head}{seam}{rest}")));
        assert!(!after.contains(&head[4..]) && !after.contains(rest), "{after:?}");
    }
}

#[test]
fn what_stands_below_a_token_goes_as_well() {
    for token in ["sk-ant-api03-Ab3dEf6hIj9lMn2pQr5t", "OPENAI_API_KEY=sk-proj-Ab3dEf6hIj9lMn2pQr5t"] {
        for below in [
            "password: hunter22",
            "  --password hunter22",
            "Authorization: Basic hunter22",
            "machine api.shop.example login me password hunter22",
            "mongodb://me:hunter22@db/shop",
            "DB_PASSWORD=hunter22",
        ] {
            let after = redact(&format!("{token}\n{below}"));
            assert!(!after.contains("hunter22") && !after.contains("Ab3d"), "{below:?} became {after:?}");
            assert_eq!(redact(&format!("{token} {below}")).matches(REMOVED).count(), 2, "{below}");
        }
    }
}

#[test]
fn what_is_called_a_secret_goes() {
    for text in [
        "DB_PASSWORD=hunter",
        "export API_KEY=abcdef",
        "password: hunter22",
        "password = \"correct horse\"",
        "\"apiKey\": \"abcdefgh\"",
        "'client_secret': 'abcd1234'",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG",
        "login --token abcdefghi",
        "mysql --password=hunter22",
        "token=abc123def",
        "auth_token: a1b2c3d4e5",
        "postgres://me:hunter22@db/shop",
        "redis://:hunter22@cache",
        "postgres://me:p@hunter/22@db/shop",
        "HTTPS://me:hunter22@shop.example",
        "\"amqp://me:1hunter@queue\"",
        "https://me:12345678@shop.example/hunted?",
        "https://abcdef0123456789abcdef@errors.example/4",
        "Authorization: Basic bWU6aHVudGVyMjI=",
        "Cookie: session=abcdef123456",
        "x-api-key: abcdef123456",
        "Proxy-Authorization: Digest abcdef123456",
        "machine api.shop.example login me password hunter22",
        "curl -s -u me:hunter22 https://shop.example",
        "\"auth\": \"abcdef123456\"",
        "sshpass -p hunter22 ssh shop",
        "https://shop.blob.example/x?sv=1&sig=abcdef123456",
        "client-key-data: abcdef1234567890",
        "AccountKey=abcdef123456==",
        "_authToken=abcdef123456",
        "mongodb+srv://me:hunter22@cluster/shop",
        "STRIPE_SECRET=abcdef",
        "DB_PASS=hunter",
        "export SMTP_PW=abcdef",
        "PASS=hunter22",
        "mysql -u root -phunter22 shop",
        "mysqldump --all -p'hunter22'",
        "<password>hunter22</password>",
        "CREATE USER me IDENTIFIED BY 'hunter22'",
        "set password hunter22",
        "the passphrase is hunter22",
        "command = [\"x\", \"--api-key\", \"abcdef\", \"--verbose\"]",
        "['--token', 'hunter22']",
        "[\"--password\",\"hunter22\"]",
        "[\"curl\", \"--oauth2-bearer\", \"abcdef\"]",
        "[\"curl\", \"-u\", \"me:hunter22\"]",
        "[\"sshpass\", \"-p\", \"hunter22\", \"ssh\"]",
        "[\"mysql\", \"-phunter22\"]",
        // What stands behind such a name is looked at by itself, where it is no secret of that one.
        "the token password=hunter22",
        "[\"--token\", \"--password=hunter22\"]",
        "secret, password = \"hunter22\"",
    ] {
        let after = redact(text);
        assert!(after.contains(REMOVED), "{text:?} stayed {after:?}");
        for word in ["hunter", "correct horse", "abcdef", "abcd1234", "wJalr", "abc123", "a1b2c3", "bWU6"] {
            assert!(!after.contains(word), "{text:?} became {after:?}");
        }
    }
}

#[test]
fn a_private_key_goes_to_its_end() {
    let key =
        "a\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\naC1rZXk\n-----END OPENSSH PRIVATE KEY-----\nb";
    assert_eq!(redact(key), format!("a\n{REMOVED}\nb"));
    assert_eq!(redact("-----BEGIN RSA PRIVATE KEY-----\nMIIE"), REMOVED);
}

#[test]
fn a_private_key_whose_beginning_is_out_of_view_goes_as_well() {
    let line = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB";
    let end = "-----END RSA PRIVATE KEY-----";
    assert_eq!(redact(&format!("│ {line}\n│ aC1rZXkt\n{end}\nb")), format!("{REMOVED}\nb"));
    assert_eq!(redact(&format!("  {line}\n  {line}\n  {line}\nb")), format!("{REMOVED}\nb"));
    assert_eq!(redact(&format!("{line}\n{line}\n{line}")), REMOVED);
    let sums = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n".repeat(4);
    assert_eq!(redact(&sums), sums);
    let certificate = format!("{line}\n-----END CERTIFICATE-----");
    assert_eq!(redact(&certificate), certificate);
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "Which database should I use for the session store?",
        "The token store keeps one token per user; the secret of speed is a password manager",
        "fn token(&self) -> Token { self.token.clone() }",
        "password: String, secret: Option<Vec<u8>>, token: &str",
        "let token = parser.next()",
        "tokens: 12000",
        "PASSWORD=$PASSWORD",
        "commit 2b8ba07a1c5d1f6f0e7e2a0a5b8f3d4c6b7a8e9f",
        "https://docs.rs/regex/1.13/regex/",
        "git@github.com:me/shop.git",
        "Kind regards, sk- and npm_",
        "the password is required, and so is the token",
        "PASS: 31 of 32, first_pass = true",
        "mkdir -p folder; mysql -h db -u me",
        "options = [\"--token\", \"--verbose\", \"--password\"]",
        "(\"token\", \"Token of the account\"), (\"password\", \"Password\")",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn what_acts_on_a_terminal_goes() {
    assert_eq!(clean("a\x1b[31mb\x1b[0mc"), "abc");
    assert_eq!(clean("a\x1b]0;title\x07b\x1b]52;c;AAAA\x1b\\c"), "abc");
    assert_eq!(clean("a\r\nb\rc\u{2028}d"), "a\nb\nc\nd");
    assert_eq!(clean("a\x00\x08\x7f\u{9b}31mb"), "ab");
    assert_eq!(clean("\u{202e}evil\u{202c}\u{2066}x\u{2069}\u{200f}"), "evilx");
    assert_eq!(clean("a\u{e0041}\u{e0042}b\u{feff}"), "ab");
    assert_eq!(clean("a\tb"), "a    b");
    assert_eq!(clean("日本語 ✔ é"), "日本語 ✔ é");
    assert_eq!(clean("\x1b"), "");
}

#[test]
fn a_value_known_to_be_secret_goes_whatever_it_looks_like() {
    let env = [
        ("SHOP_PAT", "blue-house-over-there"),
        ("GITHUB_TOKEN", "plainwords"),
        ("DB_DSN", "postgres:me"),
        ("HOME", "/home/me"),
        ("SSH_AUTH_SOCK", "/tmp/agent.sock"),
        ("KEYBOARD", "english-us"),
        ("MAX_TOKENS", "100000000"),
        ("API_KEY", "short"),
        ("DB_PASSWORD", "q7xz!wa"),
        ("MY_TOKEN", "a1b2"),
        ("KEY", "123456789"),
        ("PGPASSWORD", "yankee6zulu"),
        ("DBPASS", "correcthorse"),
    ];
    let secrets: Vec<String> = known_secrets(env.into_iter()).collect();
    assert_eq!(
        secrets,
        ["blue-house-over-there", "plainwords", "postgres:me", "q7xz!wa", "yankee6zulu", "correcthorse"]
    );
    let text = "say blue-house-over-there twice: blue-house-over-there, or\n| blue-house-o\n| ver-there.";
    let after = without(text, &secrets[0], "\n| ");
    assert_eq!(after, format!("say {REMOVED} twice: {REMOVED}, or\n| {REMOVED}."));
}
