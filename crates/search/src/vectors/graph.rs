//! The nearest of very many vectors, found by following a graph of neighbours:
//! HNSW, Malkov and Yashunin (2016), as usearch builds it.
//!
//! The graph knows the places of the vectors in `flat`, up to the one it was
//! built for; what came later is compared one by one until the next build.

use super::Flat;
use crate::Error;
use std::path::{Path, PathBuf};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

/// Links of each vector, vectors considered when one is added, and when one is
/// searched: usearch's own first and second, the third for a recall of 0.95
/// among 100 of a million.
const LINKS: usize = 16;
const CONSIDERED_ADDING: usize = 128;
const CONSIDERED_SEARCHING: usize = 192;

pub(crate) struct Graph {
    index: Index,
    /// How many places of the vector file it knows.
    pub(crate) covers: usize,
    /// It holds a vector that was taken out since.
    pub(crate) stale: bool,
}

impl Graph {
    /// Builds one over all vectors, on as many threads as given. `go_on` is
    /// asked now and then; false ends it with `None`.
    pub(crate) fn build(
        flat: &Flat,
        dimensions: usize,
        threads: usize,
        go_on: impl Fn(usize) -> bool + Sync,
    ) -> Result<Option<Graph>, Error> {
        let covers = flat.len();
        let index = empty(dimensions)?;
        index.reserve_capacity_and_threads(covers, threads).map_err(fault)?;
        let next = std::sync::atomic::AtomicUsize::new(0);
        let add_all = || -> Result<bool, Error> {
            let mut numbers = vec![0.0; dimensions];
            loop {
                let place = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if place >= covers {
                    return Ok(true);
                }
                if place.is_multiple_of(1_000) && !go_on(place) {
                    return Ok(false);
                }
                if flat.key(place as u32).is_some() {
                    flat.read(place as u32, &mut numbers);
                    index.add(place as u64, &numbers).map_err(fault)?;
                }
            }
        };
        let ended = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(add_all)).collect();
            let ends =
                workers.into_iter().map(|worker| worker.join().expect("adding does not panic"));
            ends.collect::<Result<Vec<bool>, Error>>()
        })?;
        Ok(ended.iter().all(|ended| *ended).then_some(Graph { index, covers, stale: false }))
    }

    /// Opens a saved one, mapped. `None` if there is none, or it is damaged, or
    /// holds what was taken out since: that one goes, and can be built again.
    pub(crate) fn open(path: &Path, dimensions: usize) -> Option<Graph> {
        let graph = Graph::sealed(path, dimensions);
        if graph.is_none() {
            let _ = std::fs::remove_file(path);
        }
        graph
    }

    /// Notes on the disk that it holds what is to be taken out: nobody opens it
    /// again. Who has it open goes on with it until there is another.
    pub(crate) fn unseal(path: &Path) -> Result<(), Error> {
        let seal = seal_of(path);
        let gone = match std::fs::remove_file(&seal) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            gone => gone,
        };
        // On Unix a name is gone for good when its folder is on the disk.
        #[cfg(unix)]
        let gone = gone.and_then(|()| {
            std::fs::File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
        });
        gone.map_err(|source| Error::Disk { path: seal, source })
    }

    fn sealed(path: &Path, dimensions: usize) -> Option<Graph> {
        let seal = std::fs::read_to_string(seal_of(path)).ok()?;
        let (covers, sum) = seal.trim().split_once(' ')?;
        let covers = covers.parse().ok()?;
        // usearch trusts what it maps, so nothing but what was saved is mapped.
        if checksum(path)?.to_string() != sum {
            tracing::warn!("{} is damaged and will be built again", path.display());
            return None;
        }
        let index = empty(dimensions).ok()?;
        index.view(path.to_str()?).ok()?;
        index.change_expansion_search(CONSIDERED_SEARCHING);
        Some(Graph { index, covers, stale: false })
    }

    /// Saves it beside the place it will have, then puts it there.
    pub(crate) fn save(&self, path: &Path) -> Result<(), Error> {
        let disk = |source| Error::Disk { path: path.to_owned(), source };
        let beside = path.with_extension("new");
        let name = beside.to_str().ok_or_else(|| Error::Graph("the path is not UTF-8".into()))?;
        self.index.save(name).map_err(fault)?;
        let sum =
            checksum(&beside).ok_or_else(|| Error::Graph("read back what was saved".into()))?;
        let _ = std::fs::remove_file(seal_of(path));
        std::fs::rename(&beside, path).map_err(disk)?;
        std::fs::write(seal_of(path), format!("{} {sum}\n", self.covers)).map_err(disk)
    }

    /// The places of those nearest to a vector that may be found, nearest first.
    pub(crate) fn nearest(
        &self,
        vector: &[f32],
        limit: usize,
        may_be_found: impl Fn(u32) -> bool,
    ) -> Result<Vec<u32>, Error> {
        let found = self
            .index
            .filtered_search(vector, limit, |place| may_be_found(place as u32))
            .map_err(fault)?;
        Ok(found.keys.into_iter().map(|place| place as u32).collect())
    }
}

fn empty(dimensions: usize) -> Result<Index, Error> {
    Index::new(&IndexOptions {
        dimensions,
        metric: MetricKind::IP,
        quantization: ScalarKind::F16,
        connectivity: LINKS,
        expansion_add: CONSIDERED_ADDING,
        expansion_search: CONSIDERED_SEARCHING,
        multi: false,
    })
    .map_err(fault)
}

fn fault(error: impl std::fmt::Display) -> Error {
    Error::Graph(error.to_string())
}

fn seal_of(path: &Path) -> PathBuf {
    path.with_extension("seal")
}

fn checksum(path: &Path) -> Option<u32> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut sum = Sum(crc32fast::Hasher::new());
    std::io::copy(&mut file, &mut sum).ok()?;
    Some(sum.0.finalize())
}

struct Sum(crc32fast::Hasher);

impl std::io::Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
