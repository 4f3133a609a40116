//! Databases over TLS: what is encrypted, and whose certificates are believed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::drawn::Drawn;
use crate::server::{Server, free_port};
use crate::zerohop;

fn openssl(folder: &Path, arguments: &str) {
    let mut command = Command::new("openssl");
    let status = command.args(arguments.split(' ')).current_dir(folder).stderr(Stdio::null()).status();
    assert!(status.unwrap().success(), "openssl {arguments}");
}

/// A certificate that signs others, and the file of it.
fn authority(folder: &Path, name: &str) -> PathBuf {
    openssl(
        folder,
        &format!(
            "req -x509 -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.crt -days 30 -subj /CN={name}"
        ),
    );
    folder.join(format!("{name}.crt"))
}

/// A server whose certificate has the name `localhost`, and the files of who signed it and of somebody else.
fn encrypted(folder: &Path) -> (Server, PathBuf, PathBuf) {
    let (signer, other) = (authority(folder, "signer"), authority(folder, "other"));
    openssl(folder, "req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost");
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        .unwrap();
    openssl(
        folder,
        "x509 -req -in server.csr -CA signer.crt -CAkey signer.key -CAcreateserial -out server.crt -days 30 -extfile names",
    );
    let server = Server::start(Some(free_port()));
    server.encrypt(&folder.join("server.crt"), &folder.join("server.key"));
    (server, signer, other)
}

/// What it said, and its exit status.
fn added(folder: &Path, archive: &str) -> (String, i32) {
    let mut command = zerohop(folder, archive);
    command.env("HOME", folder).env("PGPASSWORD", "s3cret").args(["archive", "add", "in"]);
    let output = command.output().unwrap();
    (String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_connection_is_encrypted_and_its_server_checked_as_the_mode_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    Drawn::new(1, 1).write(&folder.join("in"));
    let (server, signer, other) = encrypted(folder);
    let (signer, other) = (signer.display(), other.display());
    let own = folder.join("server.crt");
    let own = own.display();
    let (right, wrong) = (server.address("localhost"), server.address("127.0.0.1"));
    for (archive, refusal) in [
        // The server takes nothing else.
        (format!("{right}?sslmode=disable"), Some("no encryption")),
        (right.clone(), None),
        (format!("{right}?sslmode=prefer"), None),
        (format!("{right}?sslmode=require"), None),
        (format!("{wrong}?sslmode=require"), None),
        (format!("{right}?sslmode=require&sslrootcert={other}"), Some("UnknownIssuer")),
        (format!("{right}?sslmode=verify-ca&sslrootcert={signer}"), None),
        (format!("{wrong}?sslmode=verify-ca&sslrootcert={signer}"), None),
        (format!("{right}?sslmode=verify-ca&sslrootcert={other}"), Some("UnknownIssuer")),
        (format!("{right}?sslmode=verify-full&sslrootcert={signer}"), None),
        (format!("{right}?sslmode=verify-full&sslrootcert={own}"), None),
        (
            format!("{wrong}?sslmode=verify-full&sslrootcert={signer}"),
            Some("not valid for name \"127.0.0.1\""),
        ),
        (format!("{wrong}?sslmode=verify-full&sslrootcert={own}"), Some("not valid for name \"127.0.0.1\"")),
        (format!("{right}?sslmode=verify-full&sslrootcert={other}"), Some("UnknownIssuer")),
        (format!("{right}?sslmode=verify-full&sslrootcert=system"), Some("cannot trust the archive")),
        (format!("{right}?sslmode=verify-full&sslrootcert=none"), Some("cannot read `none`")),
        (format!("{right}?sslmode=verify-ca"), Some("`sslrootcert=FILE`")),
    ] {
        let (talk, status) = added(folder, &archive);
        match refusal {
            None => assert_eq!(status, 0, "{archive}: {talk}"),
            Some(words) => assert!(status == 2 && talk.contains(words), "{archive}: {talk}"),
        }
        assert_eq!(talk.contains("hint: "), refusal.is_some(), "{archive}: {talk}");
    }
    // Without any, nobody is trusted.
    server.sql("ALTER SYSTEM SET ssl = off");
    std::fs::write(
        server.folder().join("data/pg_hba.conf"),
        "local all all trust\nhost all all all scram-sha-256\n",
    )
    .unwrap();
    server.restart();
    let (talk, status) = added(folder, &right);
    assert!(status == 0 && !talk.contains("warning"), "{talk}");
    // To this host by an address that may be of another one.
    let far = server.address("0.0.0.0");
    let (talk, status) = added(folder, &far);
    assert!(status == 0 && talk.contains("warning: ") && talk.contains("is not encrypted"), "{talk}");
    let (talk, status) = added(folder, &format!("{far}?sslmode=disable"));
    assert!(status == 0 && !talk.contains("not encrypted"), "{talk}");
    for mode in ["require".to_owned(), format!("verify-full&sslrootcert={signer}")] {
        let (talk, status) = added(folder, &format!("{right}?sslmode={mode}"));
        assert!(status == 2 && talk.contains("server does not support TLS"), "{talk}");
    }
}
