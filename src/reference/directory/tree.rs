//! Finding and reading, one name at a time, without following a link.

use std::io::Read as _;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, OpenOptions};
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use crate::reference::{StoreError, VirtualPath};

/// The largest file that is read, in bytes: a sparse file of terabytes must not end the process.
const LARGEST: u64 = 1 << 30;

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    Link,
    Special,
}

/// What has a name in a directory, and its size. Nothing is opened.
pub(super) fn kind_and_size(dir: &Dir, name: &str) -> Result<Option<(Kind, u64)>, StoreError> {
    let stat = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(errno.into()),
    };
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Special,
    };
    Ok(Some((kind, u64::try_from(stat.st_size).unwrap_or(0))))
}

/// What has a name in a directory.
pub(super) fn kind(dir: &Dir, name: &str) -> Result<Option<Kind>, StoreError> {
    Ok(kind_and_size(dir, name)?.map(|(kind, _)| kind))
}

/// The directory of a name.
///
/// # Errors
/// [`StoreError::Missing`]; [`StoreError::UnderAFile`] for whatever is no directory, a link to one included.
pub(super) fn open(dir: &Dir, name: &str) -> Result<Dir, StoreError> {
    dir.open_dir_nofollow(name).map_err(|error| match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT) => StoreError::Missing,
        Some(Errno::NOTDIR | Errno::LOOP) => StoreError::UnderAFile,
        _ => StoreError::Io(error),
    })
}

/// The directory that names lead to, from another one down.
pub(super) fn descend<'p>(from: &Dir, names: impl Iterator<Item = &'p str>) -> Result<Dir, StoreError> {
    let mut dir = None;
    for name in names {
        dir = Some(open(dir.as_ref().unwrap_or(from), name)?);
    }
    match dir {
        Some(dir) => Ok(dir),
        None => Ok(from.try_clone()?),
    }
}

/// Where something can be placed: the last directory on its way that exists, and how many names lead there.
pub(super) struct Place {
    pub dir: Dir,
    pub levels: usize,
}

/// Finds the place of a path at which nothing stands.
///
/// # Errors
/// [`StoreError::Exists`], [`StoreError::UnderAFile`].
pub(super) fn vacant(root: &Dir, path: &VirtualPath<'_>, name: &str) -> Result<Place, StoreError> {
    let mut place = Place { dir: root.try_clone()?, levels: 0 };
    for parent in path.parents() {
        match open(&place.dir, parent) {
            Ok(dir) => place = Place { dir, levels: place.levels + 1 },
            Err(StoreError::Missing) => return Ok(place),
            Err(error) => return Err(error),
        }
    }
    match kind(&place.dir, name)? {
        Some(_) => Err(StoreError::Exists),
        None => Ok(place),
    }
}

/// The text of a file.
pub(super) fn read(dir: &Dir, name: &str) -> Result<String, StoreError> {
    match kind(dir, name)? {
        None | Some(Kind::Link) => return Err(StoreError::Missing),
        Some(Kind::Directory) => return Err(StoreError::IsADirectory),
        Some(Kind::Special) => return Err(StoreError::Special),
        Some(Kind::File) => {}
    }
    // What was a file a moment ago may be a link or a FIFO now: neither is followed or waited for.
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(StoreError::Special);
    }
    if metadata.len() > LARGEST {
        return Err(StoreError::TooLarge);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(StoreError::TooLarge);
    }
    String::from_utf8(bytes).map_err(|_| StoreError::NotUtf8)
}
