//! Vectors one after the other in a file, mapped into memory.
//!
//! A record is the key (8 bytes), a checksum (4), and the numbers in half
//! precision; a header says which model they come from. The file only grows: a
//! vector put again stands twice and the later one counts; one that is taken out
//! leaves zeros. A record that a kill
//! left unfinished is cut off when the file is opened.

use crate::Error;
use half::f16;
use half::slice::HalfFloatSliceExt;
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tantivy::Directory;
use tantivy::directory::{MmapDirectory, OwnedBytes};

const HEADER: usize = 64;
const FRONT: usize = 12;
/// The key of a record that was taken out.
const NOBODY: u64 = u64::MAX;

/// Where a vector stands in the file.
pub(crate) type Place = u32;

pub(crate) struct Flat {
    path: PathBuf,
    dimensions: usize,
    file: File,
    mapped: OwnedBytes,
    places: HashMap<u64, Place>,
    keys: Vec<u64>,
}

impl Flat {
    /// Opens the file for a model's vectors. One of another model is `Error::OtherModel`,
    /// a damaged one `Error::Damaged`.
    pub(crate) fn open(path: &Path, model: &str, dimensions: usize) -> Result<Flat, Error> {
        let disk = |source| Error::Disk { path: path.to_owned(), source };
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(disk)?;
        if file.metadata().map_err(disk)?.len() < HEADER as u64 {
            file.set_len(0).map_err(disk)?;
            file.write_all(&header(model, dimensions)).map_err(disk)?;
            file.sync_all().map_err(disk)?;
        }
        let mut flat = Flat {
            path: path.to_owned(),
            dimensions,
            file,
            mapped: OwnedBytes::empty(),
            places: HashMap::new(),
            keys: Vec::new(),
        };
        flat.map()?;
        if flat.mapped[..HEADER] != header(model, dimensions) {
            // Nobody but a person's choice of a model changes the header.
            return Err(match flat.mapped[..8] == header(model, dimensions)[..8] {
                true => Error::OtherModel { path: path.to_owned() },
                false => Error::Damaged(path.display().to_string()),
            });
        }
        let torn = (flat.mapped.len() - HEADER) % flat.record();
        if torn > 0 {
            let whole = flat.mapped.len() - torn;
            flat.mapped = OwnedBytes::empty();
            flat.file.set_len(whole as u64).map_err(disk)?;
            flat.map()?;
        }
        flat.learn(0)?;
        Ok(flat)
    }

    /// Appends vectors and makes them durable.
    pub(crate) fn put(&mut self, vectors: &[(u64, Vec<f32>)]) -> Result<(), Error> {
        let mut bytes = Vec::with_capacity(vectors.len() * self.record());
        for (key, vector) in vectors {
            if vector.len() != self.dimensions {
                let expected = self.dimensions;
                return Err(Error::Embed(format!(
                    "the vector has {} numbers, not {expected}",
                    vector.len()
                )));
            }
            if !points(vector) {
                return Err(Error::Embed("the vector points nowhere".into()));
            }
            let numbers: Vec<f16> = vector.iter().map(|number| f16::from_f32(*number)).collect();
            let numbers: &[u8] = bytemuck::cast_slice(&numbers);
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend_from_slice(&checksum(*key, numbers).to_le_bytes());
            bytes.extend_from_slice(numbers);
        }
        let known = self.keys.len();
        let disk = |source| Error::Disk { path: self.path.clone(), source };
        self.file.write_all(&bytes).and_then(|()| self.file.sync_data()).map_err(disk)?;
        self.map()?;
        self.learn(known)
    }

    /// Takes vectors out and writes zeros over all that ever stood for them;
    /// gives the places they had.
    pub(crate) fn remove(&mut self, keys: &[u64]) -> Result<Vec<Place>, Error> {
        let gone: HashSet<u64> =
            keys.iter().copied().filter(|key| self.places.remove(key).is_some()).collect();
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let disk = |source| Error::Disk { path: self.path.clone(), source };
        // What is opened for appending cannot be written elsewhere.
        let mut file = OpenOptions::new().write(true).open(&self.path).map_err(disk)?;
        let mut nothing = vec![0; self.record()];
        nothing[..8].copy_from_slice(&NOBODY.to_le_bytes());
        let sum = checksum(NOBODY, &nothing[FRONT..]);
        nothing[8..FRONT].copy_from_slice(&sum.to_le_bytes());
        let mut places = Vec::new();
        for (place, key) in self.keys.iter_mut().enumerate().filter(|(_, key)| gone.contains(key)) {
            let start = (HEADER + place * nothing.len()) as u64;
            file.seek(SeekFrom::Start(start))
                .and_then(|_| file.write_all(&nothing))
                .map_err(disk)?;
            *key = NOBODY;
            places.push(place as Place);
        }
        file.sync_data().map_err(disk)?;
        Ok(places)
    }

    /// Whether one of these stood at a place before this one, or stands there.
    pub(crate) fn stood_before(&self, keys: &[u64], end: usize) -> bool {
        let keys: HashSet<u64> =
            keys.iter().filter(|key| self.places.contains_key(key)).copied().collect();
        !keys.is_empty() && self.keys[..end].iter().any(|key| keys.contains(key))
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn place(&self, key: u64) -> Option<Place> {
        self.places.get(&key).copied()
    }

    /// Whose vector stands at a place; `None` if a later one has taken over.
    pub(crate) fn key(&self, place: Place) -> Option<u64> {
        let key = self.keys.get(place as usize).copied();
        key.filter(|key| self.places.get(key) == Some(&place))
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The numbers at a place, into `into`.
    pub(crate) fn read(&self, place: Place, into: &mut [f32]) {
        self.numbers(place).convert_to_f32_slice(into);
    }

    fn numbers(&self, place: Place) -> &[f16] {
        let start = HEADER + place as usize * self.record() + FRONT;
        bytemuck::cast_slice(&self.mapped[start..start + self.dimensions * 2])
    }

    fn record(&self) -> usize {
        FRONT + self.dimensions * 2
    }

    fn map(&mut self) -> Result<(), Error> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let name = Path::new(self.path.file_name().unwrap_or_default());
        let read = || -> tantivy::Result<OwnedBytes> {
            Ok(MmapDirectory::open(folder)?.get_file_handle(name)?.read_bytes(0..self.bytes())?)
        };
        self.mapped = read()?;
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.file.metadata().map(|data| data.len() as usize).unwrap_or_default()
    }

    /// Reads the keys from a place on, and checks what stands there.
    fn learn(&mut self, from: usize) -> Result<(), Error> {
        let record = self.record();
        let records = self.mapped[HEADER + from * record..].chunks_exact(record);
        for (place, bytes) in (from..).zip(records) {
            let key = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"));
            let sum = u32::from_le_bytes(bytes[8..FRONT].try_into().expect("four bytes"));
            if sum != checksum(key, &bytes[FRONT..]) {
                return Err(Error::Damaged(self.path.display().to_string()));
            }
            self.keys.push(key);
            if key == NOBODY {
                continue;
            }
            // What a damaged model gave is no vector; one has to be made.
            let mut numbers =
                bytes[FRONT..].chunks_exact(2).map(|two| f16::from_le_bytes([two[0], two[1]]));
            if numbers.clone().all(f16::is_finite) && numbers.any(|number| number != f16::ZERO) {
                self.places.insert(key, place as Place);
            } else {
                self.places.remove(&key);
            }
        }
        Ok(())
    }
}

/// Whether it is a direction at all, so that others can be compared with it.
pub fn points(vector: &[f32]) -> bool {
    vector.iter().all(|number| number.is_finite()) && vector.iter().any(|number| *number != 0.0)
}

fn checksum(key: u64, numbers: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new_with_initial(key as u32 ^ (key >> 32) as u32);
    sum.update(numbers);
    sum.finalize()
}

fn header(model: &str, dimensions: usize) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(b"vectors1");
    header[8..12].copy_from_slice(&(dimensions as u32).to_le_bytes());
    header[12..16].copy_from_slice(&crc32fast::hash(model.as_bytes()).to_le_bytes());
    header
}
