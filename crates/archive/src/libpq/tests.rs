//! The rules of libpq's documentation.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tokio_postgres::config::Host;

use super::*;

fn plain() -> Environment {
    Environment::of(&[], None)
}

fn of(name: &str) -> Server {
    server(name, &plain()).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

fn config(server: &Server) -> &Config {
    &server.hosts[0].1
}

fn password(server: &Server) -> Option<&str> {
    config(server).get_password().map(|bytes| std::str::from_utf8(bytes).unwrap())
}

/// A home directory with these files, which nobody else can use.
fn home(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    }
    folder
}

fn at_home(folder: &Path, variables: &[(&str, &str)]) -> Environment {
    Environment::of(variables, Some(folder.to_owned()))
}

#[test]
fn urls_and_pairs_say_the_same() {
    for name in [
        "postgresql://you:s3cret@db:5599/results?connect_timeout=7",
        "postgres://you:s3cret@db:5599/results?connect_timeout=7",
        "postgresql:///results?host=db&port=5599&user=you&password=s3cret&connect_timeout=7",
        "postgresql://y%6fu:s3cre%74@d%62:5599/res%75lts?connect_timeout=%37",
        "host=db port=5599 user=you password=s3cret dbname=results connect_timeout=7",
        "  host = 'db' port=5599\tuser= you password='s3cret' dbname =results connect_timeout=7 ",
        r"host=d\b port=5599 user='yo\u' password=s3cret dbname=results connect_timeout=7",
    ] {
        let server = of(name);
        assert_eq!(server.to_string(), "PostgreSQL database results on db:5599", "{name}");
        let config = config(&server);
        assert_eq!(config.get_hosts(), [Host::Tcp("db".to_owned())], "{name}");
        assert_eq!((config.get_ports(), config.get_user()), (&[5599][..], Some("you")), "{name}");
        assert_eq!((config.get_dbname(), password(&server)), (Some("results"), Some("s3cret")), "{name}");
        assert_eq!(server.connect, Some(Duration::from_secs(7)), "{name}");
    }
}

/// The password was cut at its `?`, and the rest of the URL was printed.
#[test]
fn a_password_in_a_url_may_have_any_sign_but_two() {
    for (written, meant) in [("ri?ght", "ri?ght"), ("a:b", "a:b"), ("a%40b%2Fc%25", "a@b/c%"), ("#&=", "#&=")]
    {
        let server = of(&format!("postgresql://you:{written}@/results?host=db"));
        assert_eq!(password(&server), Some(meant));
        assert_eq!(server.to_string(), "PostgreSQL database results on db:5432");
    }
    for (written, meant) in [("'a b'", "a b"), (r"'it\'s'", "it's"), (r"a\\b", r"a\b"), ("?@/", "?@/")] {
        assert_eq!(password(&of(&format!("host=db password={written}"))), Some(meant));
    }
}

#[test]
fn several_servers_are_tried_in_turn() {
    let server = of("postgresql://you@one:1,two,[::1]:3/results");
    let shown: Vec<&str> = server.hosts.iter().map(|(shown, _)| shown.as_str()).collect();
    assert_eq!(shown, ["one:1", "two:5432", "[::1]:3"]);
    let server = of("host=one,two port=7 hostaddr=127.0.0.1,::1 user=you");
    assert_eq!(server.to_string(), "PostgreSQL database you on one:7 or two:7");
    assert_eq!(server.hosts[1].1.get_hostaddrs(), ["::1".parse::<IpAddr>().unwrap()]);
}

#[test]
fn what_is_left_out_has_a_default() {
    let server = of("postgresql://");
    assert_eq!((config(&server).get_user(), server.database.as_str()), (Some("me"), "me"));
    assert!(server.hosts[0].0.starts_with('/'), "{}", server.hosts[0].0);
    assert_eq!((server.connect, config(&server).get_application_name()), (Some(CONNECT), Some("zerohop")));
    assert_eq!(of("host=db connect_timeout=0").connect, None);
    assert_eq!(of("host='' dbname=''").database, "me");
}

#[test]
fn variables_say_what_the_name_leaves_open() {
    let variables = [
        ("PGHOST", "other"),
        ("PGPORT", "6000"),
        ("PGUSER", "you"),
        ("PGDATABASE", "results"),
        ("PGPASSWORD", "s3cret"),
        ("PGCONNECT_TIMEOUT", "3"),
        ("PGSSLMODE", "require"),
        ("PGAPPNAME", ""),
    ];
    let environment = Environment::of(&variables, None);
    let all = server("postgresql://", &environment).unwrap();
    assert_eq!(all.to_string(), "PostgreSQL database results on other:6000");
    assert_eq!((config(&all).get_user(), password(&all)), (Some("you"), Some("s3cret")));
    assert_eq!((all.connect, config(&all).get_ssl_mode()), (Some(Duration::from_secs(3)), SslMode::Require));
    assert_eq!(config(&all).get_application_name(), Some("zerohop"));
    let none =
        server("postgresql://me:mine@db:1/own?sslmode=disable&connect_timeout=9", &environment).unwrap();
    assert_eq!(
        (none.to_string().as_str(), password(&none)),
        ("PostgreSQL database own on db:1", Some("mine"))
    );
    assert_eq!(
        (none.connect, config(&none).get_ssl_mode()),
        (Some(Duration::from_secs(9)), SslMode::Disable)
    );
}

#[test]
fn a_service_stands_between_the_name_and_the_variables() {
    let file = "# all of ours\n[other]\nhost=nowhere\n\n[team]\n  host=db\nport=5433 \nuser=you\n[later]\nuser=nobody\n";
    let home = home(&[(".pg_service.conf", file)]);
    let environment = at_home(home.path(), &[("PGHOST", "of-a-variable"), ("PGDATABASE", "results")]);
    let found = server("postgresql://?service=team", &environment).unwrap();
    assert_eq!(found.to_string(), "PostgreSQL database results on db:5433");
    assert_eq!(config(&found).get_user(), Some("you"));
    let found = server("host=mine service=team", &environment).unwrap();
    assert_eq!(found.to_string(), "PostgreSQL database results on mine:5433");
    let by_variable = at_home(home.path(), &[("PGSERVICE", "team")]);
    assert_eq!(
        server("postgresql://", &by_variable).unwrap().to_string(),
        "PostgreSQL database you on db:5433"
    );
    let elsewhere = home.path().join("elsewhere");
    fs::write(&elsewhere, "[team]\nhost=far\n").unwrap();
    let by_file =
        at_home(home.path(), &[("PGSERVICEFILE", elsewhere.to_str().unwrap()), ("PGSERVICE", "team")]);
    assert_eq!(server("postgresql://", &by_file).unwrap().to_string(), "PostgreSQL database me on far:5432");
    let of_system = home.path().join("pg_service.conf");
    fs::write(&of_system, "[everywhere]\nhost=all\n").unwrap();
    let system = at_home(home.path(), &[("PGSYSCONFDIR", home.path().to_str().unwrap())]);
    assert_eq!(
        server("service=everywhere", &system).unwrap().to_string(),
        "PostgreSQL database me on all:5432"
    );
    for (text, words) in [
        ("[team]\nhost\n", "line 2: expected `KEYWORD=VALUE`"),
        ("[team]\nservice=team\n", "line 2: a service cannot refer to another service"),
        ("[team]\nhots=s3cret\n", "line 2: it contains an option that PostgreSQL does not have"),
        ("[others]\n", "no service file contains this service"),
    ] {
        fs::write(home.path().join(".pg_service.conf"), text).unwrap();
        let reason = server("service=team", &at_home(home.path(), &[])).unwrap_err();
        assert!(reason.contains(words), "{reason}");
    }
}

#[test]
fn a_password_file_is_read_as_documented() {
    let lines = [
        "# db:5432:results:me:no",
        "db:5432:results:me:first",
        "db:5432:results:me:second",
        "db:*:results:me:any port",
        r"/a\:b\\c:5432:*:me:escaped",
        "localhost:*:*:me:of sockets",
        "/elsewhere:*:*:me:of a folder",
        r"db:5432:\*:me:of an asterisk",
        r"*:*:*:other:co\:lon\\ and : no more",
        "*:*:*:star:*",
        "::1:5432:results:me:never",
        r"\:\:1:5432:results:me:of six",
        "short:5432",
    ];
    let home = home(&[(".pgpass", &lines.join("\n"))]);
    let environment = at_home(home.path(), &[]);
    for (name, expected) in [
        ("host=db user=me dbname=results", Some("first")),
        ("host=db user=me dbname=results port=7", Some("any port")),
        ("host=db user=me dbname=more", None),
        ("host=db user=me dbname=*", Some("of an asterisk")),
        (r"host='/a:b\\c' user=me", Some("escaped")),
        ("host=/tmp user=me", Some("of sockets")),
        ("host=/var/run/postgresql user=me", Some("of sockets")),
        ("host=/elsewhere user=me", Some("of a folder")),
        ("user=me", Some("of sockets")),
        ("host=x user=other", Some("co:lon\\ and ")),
        ("host=x user=star", Some("*")),
        ("host=::1 user=me dbname=results", Some("of six")),
        ("hostaddr=::1 user=me dbname=results", Some("of six")),
        ("host=db user=me dbname=results password=mine", Some("mine")),
        ("host=short user=me", None),
    ] {
        let found = server(name, &environment).unwrap();
        assert_eq!((password(&found), found.warnings.len()), (expected, 0), "{name}");
    }
    // Each server has its own.
    let found = server("host=db,/tmp user=me dbname=results", &environment).unwrap();
    assert_eq!(found.hosts[1].1.get_password(), Some("of sockets".as_bytes()));
    let file = home.path().join("mine");
    fs::write(&file, "*:*:*:*:elsewhere").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o400)).unwrap();
    let named = at_home(home.path(), &[("PGPASSFILE", file.to_str().unwrap())]);
    assert_eq!(password(&server("host=db", &named).unwrap()), Some("elsewhere"));
}

#[test]
fn a_password_file_that_others_can_use_is_left_out_with_a_warning() {
    for mode in [0o640, 0o604, 0o610, 0o602] {
        let home = home(&[(".pgpass", "*:*:*:*:s3cret")]);
        let file = home.path().join(".pgpass");
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let found = server("host=db", &at_home(home.path(), &[])).unwrap();
        assert_eq!(password(&found), None);
        assert!(found.warnings[0].contains(".pgpass`: users other"), "{:?}", found.warnings);
        // Nobody needs it.
        let found = server("host=db password=mine", &at_home(home.path(), &[])).unwrap();
        assert!(found.warnings.is_empty());
    }
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".pgpass")).unwrap();
    let found = server("host=db", &at_home(home.path(), &[])).unwrap();
    assert!(found.warnings[0].contains("not a regular file"), "{:?}", found.warnings);
}

#[test]
fn the_mode_says_what_is_encrypted_and_who_is_believed() {
    let home = tempfile::tempdir().unwrap();
    let (root, own) = (home.path().join(".postgresql/root.crt"), PathBuf::from("own.crt"));
    let modes = |environment: &Environment| -> Vec<(SslMode, Trust)> {
        let of_mode = |mode: &str| {
            let found = server(&format!("host=db {mode}"), environment).unwrap();
            (config(&found).get_ssl_mode(), found.security.trust)
        };
        ["", "sslmode=disable", "sslmode=require", "sslmode=verify-full"].into_iter().map(of_mode).collect()
    };
    let common = [(SslMode::Prefer, Trust::Anyone), (SslMode::Disable, Trust::Anyone)];
    let bare = at_home(home.path(), &[]);
    let system = (SslMode::Require, Trust::Named(Roots::System));
    assert_eq!(modes(&bare), [&common[..], &[(SslMode::Require, Trust::Anyone), system.clone()]].concat());
    assert!(server("host=db sslmode=verify-ca", &bare).unwrap_err().contains("sslrootcert=FILE"));
    let named = at_home(home.path(), &[("PGSSLROOTCERT", "own.crt")]);
    let of_file = |file: &Path| {
        let file = file.to_owned();
        [(SslMode::Require, Trust::Signed(file.clone())), (SslMode::Require, Trust::Named(Roots::File(file)))]
    };
    assert_eq!(modes(&named), [&common[..], &of_file(&own)].concat());
    fs::create_dir(home.path().join(".postgresql")).unwrap();
    fs::write(&root, "").unwrap();
    assert_eq!(modes(&bare), [&common[..], &of_file(&root)].concat());
    let of_system = server("host=db sslrootcert=system", &bare).unwrap();
    assert_eq!((config(&of_system).get_ssl_mode(), of_system.security.trust), system);
    assert!(server("host=db sslrootcert=system sslmode=require", &bare).unwrap_err().contains("verify-full"));
    // Sockets are not encrypted, whatever is asked for.
    assert_eq!(
        config(&server("host=/tmp sslmode=verify-full", &bare).unwrap()).get_ssl_mode(),
        SslMode::Disable
    );
    assert_eq!(of("postgresql://db?ssl=true").hosts[0].1.get_ssl_mode(), SslMode::Require);
}

#[test]
fn what_is_impossible_is_refused_by_the_name_of_the_option() {
    for (name, words) in [
        ("postgresql://db:0/", "`port` must be"),
        ("postgresql://db:x/", "`port` must be"),
        ("host=db port=65536", "`port` must be"),
        ("host=a,b,c port=1,2", "one per server"),
        ("host=a,b hostaddr=::1", "the same number of servers"),
        ("hostaddr=db", "IP address"),
        ("host=db connect_timeout=soon", "`connect_timeout` must be a whole number"),
        ("host=db sslmode=always", "`sslmode` must be"),
        ("host=db target_session_attrs=fast", "`target_session_attrs` must be any or"),
        ("host=db gssencmode=require", "does not support the option `gssencmode`"),
        ("host=db require_auth=scram-sha-256", "does not support the option `require_auth`"),
        ("host=db sslcrl=a", "does not support the option `sslcrl`"),
        ("host=db channel_binding=require", "`channel_binding` must be prefer or disable"),
        ("host=db sslcertmode=require", "`sslcertmode` must be allow or disable"),
        ("host=db ssl_min_protocol_version=TLSv2", "`ssl_min_protocol_version` must be"),
        ("host=db ssl_max_protocol_version=TLSv1.1", "`ssl_min_protocol_version` is higher"),
        ("host=db ssl_min_protocol_version=TLSv1 ssl_max_protocol_version=TLSv1", "older ones are insecure"),
        ("postgresql://db/?sslmode=", "`sslmode` must be"),
        ("host=db sslmode=''", "`sslmode` must be"),
        ("host=db channel_binding=''", "`channel_binding` must be"),
        ("host=db target_session_attrs=''", "`target_session_attrs` must be"),
        ("host=db sslnegotiation=''", "`sslnegotiation` must be"),
        ("host=db nonsense=1", "that PostgreSQL does not have"),
        ("postgresql://[::1/", "ends with `]`"),
        ("postgresql://[::1]x/", "expected `:PORT`"),
        ("postgresql://a%4/", "`%25`"),
        ("postgresql://a%00/", "`%25`"),
        ("postgresql://%ff@db/", "UTF-8"),
        ("host='db", "unclosed quote"),
        ("host=db sslcert=a", "`sslkey`"),
    ] {
        let reason = server(name, &plain()).unwrap_err();
        assert!(reason.contains(words), "{name}: {reason}");
    }
}

/// `PGREQUIREAUTH` and others were read by nobody: the connection was less safe than was asked for, without a word.
#[test]
fn no_variable_that_makes_a_connection_safer_is_ignored() {
    for (variable, value) in [
        ("PGREQUIREAUTH", "scram-sha-256"),
        ("PGREQUIREPEER", "postgres"),
        ("PGGSSENCMODE", "require"),
        ("PGSSLCRL", "a"),
        ("PGSSLCRLDIR", "a"),
        ("PGSSLSNI", "0"),
        ("PGMINPROTOCOLVERSION", "3.2"),
    ] {
        let reason = server("host=db", &Environment::of(&[(variable, value)], None)).unwrap_err();
        assert!(reason.contains(variable), "{reason}");
        server("host=db", &Environment::of(&[(variable, "")], None)).unwrap();
    }
    for (variable, option) in [
        ("PGCHANNELBINDING", "channel_binding"),
        ("PGSSLMODE", "sslmode"),
        ("PGSSLCERTMODE", "sslcertmode"),
        ("PGSSLMINPROTOCOLVERSION", "ssl_min_protocol_version"),
        ("PGSSLMAXPROTOCOLVERSION", "ssl_max_protocol_version"),
    ] {
        let reason = server("host=db", &Environment::of(&[(variable, "nonsense")], None)).unwrap_err();
        assert!(reason.contains(option), "{reason}");
    }
    let empty = Environment::of(&[("PGSSLMODE", "")], None);
    assert!(server("host=db", &empty).unwrap_err().contains("`sslmode` must be"));
    let nothing = [("PGGSSENCMODE", "prefer"), ("PGTZ", "UTC"), ("PGSSLSNI", "1"), ("PGKRBSRVNAME", "a")];
    server("host=db", &Environment::of(&nothing, None)).unwrap();
    let required = server("host=db", &Environment::of(&[("PGREQUIRESSL", "1")], None)).unwrap();
    assert_eq!(config(&required).get_ssl_mode(), SslMode::Require);
}

#[test]
fn versions_of_tls_and_lists_of_revoked_certificates_are_heeded() {
    let versions = |name: &str| of(name).security.versions;
    assert_eq!(versions("host=db"), Versions::Both);
    assert_eq!(versions("host=db ssl_min_protocol_version=tlsv1"), Versions::Both);
    assert_eq!(versions("host=db ssl_min_protocol_version=TLSv1.3"), Versions::Only13);
    assert_eq!(versions("host=db ssl_max_protocol_version=TLSv1.2"), Versions::Only12);
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".postgresql")).unwrap();
    fs::write(home.path().join(".postgresql/root.crl"), "").unwrap();
    let environment = at_home(home.path(), &[("PGSSLROOTCERT", "own.crt")]);
    assert!(server("host=db sslmode=verify-full", &environment).unwrap_err().contains("root.crl"));
    assert!(server("host=db sslmode=prefer", &environment).is_ok());
    let own = |more: &str| of(&format!("host=db sslcert=a sslkey=b {more}")).security.identity.is_some();
    assert!(own("") && !own("sslcertmode=disable") && !own("sslmode=disable"));
}
