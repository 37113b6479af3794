//! The owner's socket: where it is, and that only its own user gets through.
//!
//! Unix sockets so far. Windows needs a named pipe, which is not written yet:
//! there a workspace is open in one process at a time, and a second one is
//! told so.

#[cfg(unix)]
pub(crate) use unix::{Listener, Stream, connect, listen, remove};

#[cfg(not(unix))]
pub(crate) use nowhere::{Listener, Stream, connect, listen, remove};

#[cfg(unix)]
mod unix {
    use crate::fault;
    use domain::Fault;
    use std::fs::Permissions;
    use std::io::{self, ErrorKind};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
    use std::path::{Path, PathBuf};
    use tokio::net::{UnixListener, UnixStream};

    pub(crate) type Stream = UnixStream;

    /// The systems' limit is 104 or 108 bytes.
    const LONGEST_PATH: usize = 100;

    pub(crate) struct Listener {
        socket: UnixListener,
        own_uid: u32,
        pub(crate) path: PathBuf,
    }

    impl Listener {
        /// The next caller of the same user; others are turned away.
        pub(crate) async fn accept(&self) -> io::Result<Stream> {
            loop {
                let (stream, _) = self.socket.accept().await?;
                match stream.peer_cred() {
                    Ok(peer) if peer.uid() == self.own_uid => return Ok(stream),
                    Ok(peer) => {
                        tracing::warn!(uid = peer.uid(), "turned away a caller of another user")
                    }
                    Err(error) => {
                        tracing::warn!(%error, "turned away a caller that cannot be told")
                    }
                }
            }
        }
    }

    /// Takes the place of a socket that an earlier owner left behind. Only
    /// the holder of the workspace's lock may call this.
    pub(crate) fn listen(data: &Path) -> Result<Option<Listener>, Fault> {
        let own_uid = own_uid().map_err(|error| fault::socket(data, &error))?;
        let path = place(data, own_uid).map_err(|(at, error)| fault::socket(&at, &error))?;
        let made = remove(&path).and_then(|()| {
            let socket = UnixListener::bind(&path)?;
            std::fs::set_permissions(&path, Permissions::from_mode(0o600))?;
            Ok(socket)
        });
        let socket = made.map_err(|error| fault::socket(&path, &error))?;
        Ok(Some(Listener { socket, own_uid, path }))
    }

    /// Calls an owner, if it runs as the same user.
    pub(crate) async fn connect(path: &Path) -> io::Result<Stream> {
        let stream = UnixStream::connect(path).await?;
        if stream.peer_cred()?.uid() == own_uid()? {
            Ok(stream)
        } else {
            Err(io::Error::from(ErrorKind::PermissionDenied))
        }
    }

    /// Removes a socket, and nothing else that may be there.
    pub(crate) fn remove(path: &Path) -> io::Result<()> {
        match std::fs::symlink_metadata(path) {
            Ok(found) if found.file_type().is_socket() => std::fs::remove_file(path),
            Ok(_) => Err(io::Error::from(ErrorKind::AlreadyExists)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Where to listen, or where that is not possible and why.
    fn place(data: &Path, own_uid: u32) -> Result<PathBuf, (PathBuf, io::Error)> {
        let of_data = |error| (data.to_owned(), error);
        let beside = std::path::absolute(data).map_err(of_data)?.join("coterie.sock");
        if beside.as_os_str().len() <= LONGEST_PATH {
            return Ok(beside);
        }
        // One name for one folder, however it is written.
        let folder = std::fs::canonicalize(data).map_err(of_data)?;
        let name = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, folder.as_os_str().as_bytes());
        let given = PathBuf::from(format!("/run/user/{own_uid}"));
        let own = PathBuf::from(format!("/tmp/coterie-{own_uid}"));
        let short = runtime_folder(given, &own, own_uid).map_err(|error| (own, error))?;
        Ok(short.join(format!("coterie-{}.sock", name.simple())))
    }

    /// A short path that only this user can write to: what XDG_RUNTIME_DIR
    /// means wherever it is set, else a folder of our own.
    fn runtime_folder(given: PathBuf, own: &Path, own_uid: u32) -> io::Result<PathBuf> {
        if is_private(&given, own_uid) {
            return Ok(given);
        }
        match std::fs::DirBuilder::new().mode(0o700).create(own) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        // Anybody may have made it first.
        if is_private(own, own_uid) {
            Ok(own.to_owned())
        } else {
            Err(io::Error::new(
                ErrorKind::PermissionDenied,
                "it is not a folder that only you can read (chmod 700)",
            ))
        }
    }

    fn is_private(folder: &Path, own_uid: u32) -> bool {
        std::fs::symlink_metadata(folder).is_ok_and(|found| {
            found.is_dir() && found.uid() == own_uid && found.mode() & 0o077 == 0
        })
    }

    fn own_uid() -> io::Result<u32> {
        Ok(UnixStream::pair()?.0.peer_cred()?.uid())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[tokio::test]
        async fn the_socket_is_for_its_user_only() {
            let folder = tempfile::tempdir().unwrap();
            let listener = listen(folder.path()).unwrap().unwrap();
            assert_eq!(listener.path, folder.path().join("coterie.sock"));
            assert_eq!(std::fs::metadata(&listener.path).unwrap().mode() & 0o777, 0o600);
            let (called, accepted) = tokio::join!(connect(&listener.path), listener.accept());
            assert!(called.is_ok() && accepted.is_ok());
        }

        #[tokio::test]
        async fn a_caller_of_another_user_is_turned_away_on_both_sides() {
            let folder = tempfile::tempdir().unwrap();
            let mut listener = listen(folder.path()).unwrap().unwrap();
            listener.own_uid += 1;
            let mut stranger = UnixStream::connect(&listener.path).await.unwrap();
            tokio::select! {
                _ = listener.accept() => panic!("let in"),
                read = tokio::io::AsyncReadExt::read_u8(&mut stranger) => {
                    assert_eq!(read.unwrap_err().kind(), ErrorKind::UnexpectedEof);
                }
            }
        }

        #[tokio::test]
        async fn a_socket_left_behind_is_replaced_and_nothing_else_is() {
            let folder = tempfile::tempdir().unwrap();
            drop(listen(folder.path()).unwrap());
            assert!(folder.path().join("coterie.sock").exists());
            let listener = listen(folder.path()).unwrap().unwrap();
            remove(&listener.path).unwrap();

            let place = listener.path.display();
            let message = format!(
                "something that is no socket stands at {place}, where this workspace listens"
            );
            let fault = fault::socket(&listener.path, &ErrorKind::AlreadyExists.into());
            assert_eq!(fault.message, message);
            std::fs::write(&listener.path, "somebody's notes").unwrap();
            assert_eq!(listen(folder.path()).err(), Some(fault.clone()));
            assert_eq!(std::fs::read_to_string(&listener.path).unwrap(), "somebody's notes");

            std::fs::remove_file(&listener.path).unwrap();
            std::fs::create_dir(&listener.path).unwrap();
            assert_eq!(listen(folder.path()).err(), Some(fault));
            assert!(listener.path.is_dir());
        }

        #[tokio::test]
        async fn a_long_path_gets_a_short_socket_of_its_own() {
            let folder = tempfile::tempdir().unwrap();
            let deep = |name: &str| {
                let data = folder.path().join("d".repeat(100)).join(name);
                std::fs::create_dir_all(&data).unwrap();
                data
            };
            let (one, other) =
                (listen(&deep("one")).unwrap().unwrap(), listen(&deep("other")).unwrap().unwrap());
            assert!(one.path.as_os_str().len() <= LONGEST_PATH);
            assert_ne!(one.path, other.path);
            let (called, accepted) = tokio::join!(connect(&one.path), one.accept());
            assert!(called.is_ok() && accepted.is_ok());
            remove(&one.path).unwrap();
            remove(&other.path).unwrap();
        }
    }
}

#[cfg(not(unix))]
mod nowhere {
    use crate::fault;
    use domain::Fault;
    use std::io;
    use std::path::{Path, PathBuf};

    pub(crate) type Stream = tokio::io::DuplexStream;

    pub(crate) struct Listener {
        pub(crate) path: PathBuf,
    }

    impl Listener {
        pub(crate) async fn accept(&self) -> io::Result<Stream> {
            Err(fault::not_on_this_system())
        }
    }

    pub(crate) fn listen(_data: &Path) -> Result<Option<Listener>, Fault> {
        Ok(None)
    }

    pub(crate) async fn connect(_path: &Path) -> io::Result<Stream> {
        Err(fault::not_on_this_system())
    }

    pub(crate) fn remove(_path: &Path) -> io::Result<()> {
        Ok(())
    }
}
