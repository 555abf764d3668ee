//! The directory that `/memories` maps to, seen from outside the handler.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::SandboxError;
use crate::case::{Plant, PlantNode};
use crate::wire::ROOT;

/// A handler's store on disk. Nothing here follows a link.
#[derive(Clone, Debug)]
pub struct Disk {
    store: PathBuf,
    outside: PathBuf,
}

/// What stands at a path of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnDisk {
    /// Nothing.
    Nothing,
    /// A file with these bytes.
    File(Vec<u8>),
    /// A directory.
    Directory,
    /// A link, a pipe, or something that cannot be read.
    Other(&'static str),
}

/// A longer file is not read back.
const LONGEST: u64 = 80 << 20;

impl Disk {
    pub(super) fn new(store: PathBuf, outside: PathBuf) -> Disk {
        Disk { store, outside }
    }

    /// The directory itself.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// What stands at a path below `/memories`; `None` where the path is not a plain one.
    pub fn read(&self, path: &str) -> Option<OnDisk> {
        let place = self.place(path)?;
        let Ok(meta) = std::fs::symlink_metadata(&place) else { return Some(OnDisk::Nothing) };
        if meta.is_dir() {
            return Some(OnDisk::Directory);
        }
        if !meta.is_file() {
            return Some(OnDisk::Other("not a regular file"));
        }
        let mut bytes = Vec::new();
        let read = open(&place).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
        Some(match read {
            Ok(_) if bytes.len() as u64 > LONGEST => OnDisk::Other("too long to be read back"),
            Ok(_) => OnDisk::File(bytes),
            Err(_) => OnDisk::Other("unreadable"),
        })
    }

    /// The permission bits at a path below `/memories`.
    #[cfg(unix)]
    pub fn mode(&self, path: &str) -> Option<u32> {
        use std::os::unix::fs::MetadataExt;
        let meta = std::fs::symlink_metadata(self.place(path)?).ok()?;
        Some(meta.mode() & 0o7777)
    }

    /// The permission bits at a path below `/memories`: not known on this system.
    #[cfg(not(unix))]
    pub fn mode(&self, _: &str) -> Option<u32> {
        None
    }

    /// Puts a node into the store, with the parent directories that it needs. Gives the reason where it is there and
    /// cannot show anything.
    ///
    /// # Errors
    /// Where the file system refuses.
    pub fn plant(&self, plant: &Plant) -> Result<Option<&'static str>, SandboxError> {
        let place = self.place(&plant.path).unwrap_or_else(|| self.store.join("misplaced"));
        let failed = |error| SandboxError::new("plant", &place)(error);
        let parent = if place == self.store { &self.store } else { place.parent().unwrap_or(&self.store) };
        std::fs::create_dir_all(parent).map_err(failed)?;
        let real = parent.canonicalize().map_err(failed)?;
        if !real.starts_with(&self.store) {
            return Err(failed(std::io::Error::other("a link stands in the way")));
        }
        let planted = match &plant.node {
            PlantNode::File(bytes) => std::fs::write(&place, bytes),
            PlantNode::Link(target) => {
                let target = target.replace("{outside}", &self.outside.to_string_lossy());
                link(Path::new(&target), &place)
            }
            PlantNode::Fifo => fifo(&place),
            PlantNode::HardLink(file) => match self.place(file) {
                Some(file) => std::fs::hard_link(file, &place),
                None => Err(std::io::ErrorKind::InvalidInput.into()),
            },
            PlantNode::Mode(mode) => return shut(&place, *mode).map_err(failed),
            PlantNode::RawName(name) => {
                std::fs::create_dir_all(&place).map_err(failed)?;
                return Ok(raw_name(&place, name).err().map(|_| "the file system takes no name that is not UTF-8"));
            }
            PlantNode::Entries(count) => std::fs::create_dir_all(&place).and_then(|()| fill(&place, *count)),
            PlantNode::BehindLink => self.move_behind_a_link(),
        };
        planted.map(|()| None).map_err(failed)
    }

    fn move_behind_a_link(&self) -> std::io::Result<()> {
        let mut aside = self.store.clone().into_os_string();
        aside.push("-real");
        std::fs::rename(&self.store, &aside)?;
        link(Path::new(&aside), &self.store)
    }

    /// Makes a symbolic link anywhere in the sandbox.
    ///
    /// # Errors
    /// Where the file system refuses.
    pub(crate) fn link(&self, target: &Path, place: &Path) -> Result<(), SandboxError> {
        link(target, place).map_err(SandboxError::new("link", place))
    }

    /// Where a path below `/memories` lies on disk; `None` where the path is not a plain one.
    pub(crate) fn place(&self, path: &str) -> Option<PathBuf> {
        let rest = path.strip_prefix(ROOT)?;
        let mut place = self.store.clone();
        for component in rest.split('/').filter(|component| !component.is_empty()) {
            if component == "." || component == ".." || component.contains('\0') {
                return None;
            }
            place.push(component);
        }
        (rest.is_empty() || rest.starts_with('/')).then_some(place)
    }
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// Empty files, numbered.
fn fill(directory: &Path, count: usize) -> std::io::Result<()> {
    (1..=count).try_for_each(|number| File::create(directory.join(format!("entry-{number:06}"))).map(drop))
}

/// Gives what stands at a place other permissions; nothing need stand there any more. Says why where they do not keep
/// this user out.
#[cfg(unix)]
fn shut(place: &Path, mode: u32) -> std::io::Result<Option<&'static str>> {
    use std::os::unix::fs::PermissionsExt;
    let Ok(meta) = std::fs::symlink_metadata(place) else { return Ok(None) };
    if meta.is_symlink() {
        return Err(std::io::Error::other("a link has no permissions of its own"));
    }
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode))?;
    let opens = if meta.is_dir() { std::fs::read_dir(place).is_ok() } else { open(place).is_ok() };
    Ok((mode & 0o400 == 0 && opens).then_some("this user reads files whatever their permissions say"))
}

#[cfg(not(unix))]
fn shut(_: &Path, _: u32) -> std::io::Result<Option<&'static str>> {
    Ok(Some("permissions are set on Unix only"))
}

#[cfg(unix)]
fn raw_name(directory: &Path, name: &[u8]) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    File::create(directory.join(std::ffi::OsStr::from_bytes(name))).map(drop)
}

#[cfg(not(unix))]
fn raw_name(_: &Path, _: &[u8]) -> std::io::Result<()> {
    Err(std::io::Error::other("names that are not UTF-8 are planted on Unix only"))
}

#[cfg(unix)]
fn link(target: &Path, place: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("links are planted on Unix only"))
}

#[cfg(unix)]
fn fifo(place: &Path) -> std::io::Result<()> {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, place, rustix::fs::FileType::Fifo, mode, 0).map_err(Into::into)
}

#[cfg(not(unix))]
fn fifo(_: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("pipes are planted on Unix only"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::sandbox::Sandbox;

    #[test]
    fn odd_nodes_stand_where_they_belong() {
        let sandbox = Sandbox::new().unwrap();
        let mut area = sandbox.area(0, true).unwrap();
        let root = area.begin().unwrap();
        let disk = area.guard(root.to_str(), true).unwrap().unwrap();
        let plant = |path: &str, node| disk.plant(&Plant { path: format!("/memories{path}"), node });
        plant("/a.md", PlantNode::File(b"one".to_vec())).unwrap();
        plant("/b.md", PlantNode::HardLink("/memories/a.md".into())).unwrap();
        assert_eq!(disk.read("/memories/b.md"), Some(OnDisk::File(b"one".to_vec())));
        assert!(plant("/c.md", PlantNode::HardLink("/memories/../canary.txt".into())).is_err());
        plant("/many", PlantNode::Entries(7)).unwrap();
        assert_eq!(std::fs::read_dir(root.join("many")).unwrap().count(), 7);
        if plant("/raw", PlantNode::RawName(vec![0x61, 0xff])).unwrap().is_none() {
            let names: Vec<_> = std::fs::read_dir(root.join("raw")).unwrap().flatten().collect();
            assert!(names.len() == 1 && names[0].file_name().to_str().is_none());
        }
        let why = plant("/a.md", PlantNode::Mode(0)).unwrap();
        assert_eq!(why.is_some(), std::fs::File::open(root.join("a.md")).is_ok());
        assert_eq!(plant("/a.md", PlantNode::Mode(0o600)).unwrap(), None);
        assert_eq!(plant("/gone.md", PlantNode::Mode(0)).unwrap(), None);
        plant("", PlantNode::BehindLink).unwrap();
        assert!(std::fs::symlink_metadata(&root).unwrap().is_symlink());
        assert_eq!(disk.read("/memories/a.md"), Some(OnDisk::File(b"one".to_vec())));
        assert_eq!(area.changes(&Default::default()), []);
    }
}
