//! What the graph and the file of vectors keep to.

use super::*;

const DIMENSIONS: usize = 32;

/// Numbers that look random and are the same each time.
fn vector(seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut numbers: Vec<f32> = (0..DIMENSIONS)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
        })
        .collect();
    let length = numbers.iter().map(|n| n * n).sum::<f32>().sqrt();
    numbers.iter_mut().for_each(|n| *n /= length);
    numbers
}

fn flat(folder: &std::path::Path, count: u64) -> Flat {
    let mut flat = Flat::open(&folder.join("flat"), "m", DIMENSIONS).unwrap();
    flat.put(&(0..count).map(|key| (key, vector(key))).collect::<Vec<_>>()).unwrap();
    flat
}

fn exact(flat: &Flat, query: &[f32], limit: usize, may: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut numbers = vec![0.0; DIMENSIONS];
    let mut scored: Vec<(f32, u32)> = (0..flat.len() as u32)
        .filter(|place| may(*place))
        .map(|place| {
            flat.read(place, &mut numbers);
            (query.iter().zip(&numbers).map(|(a, b)| a * b).sum(), place)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(limit).map(|(_, place)| place).collect()
}

/// DESIGN's bar for the leg: 0.95 of the ten nearest.
#[test]
fn the_graph_proposes_nearly_all_of_the_nearest_also_past_a_filter() {
    let folder = tempfile::tempdir().unwrap();
    let flat = flat(folder.path(), 4_000);
    let graph = Graph::build(&flat, DIMENSIONS, 2, |_| true).unwrap().unwrap();
    graph.save(&folder.path().join("graph")).unwrap();
    let graph = Graph::open(&folder.path().join("graph"), DIMENSIONS).unwrap();
    for may in [(|_| true) as fn(u32) -> bool, |place| place.is_multiple_of(4)] {
        let mut met = 0;
        for seed in 0..50 {
            let query = vector(1_000_000 + seed);
            let proposed = graph.nearest(&query, 100, may).unwrap();
            assert!(proposed.iter().all(|place| may(*place)));
            met += exact(&flat, &query, 10, may)
                .iter()
                .filter(|place| proposed.contains(place))
                .count();
        }
        assert!(met >= 475, "{met} of 500");
    }
}

#[test]
fn a_build_that_is_told_to_stop_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let flat = flat(folder.path(), 3_000);
    assert!(Graph::build(&flat, DIMENSIONS, 1, |done| done < 2_000).unwrap().is_none());
}

#[test]
fn a_damaged_graph_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    let flat = flat(folder.path(), 500);
    Graph::build(&flat, DIMENSIONS, 1, |_| true).unwrap().unwrap().save(&path).unwrap();
    assert_eq!(Graph::open(&path, DIMENSIONS).unwrap().covers, 500);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(Graph::open(&path, DIMENSIONS).is_none());
    assert!(!path.exists(), "nobody knows what is in it");
    assert!(Graph::open(&path, DIMENSIONS).is_none());
}

#[test]
fn a_vector_put_again_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut flat = flat(folder.path(), 2);
    flat.put(&[(0, vector(9))]).unwrap();
    assert_eq!((flat.place(0), flat.key(0), flat.key(2)), (Some(2), None, Some(0)));
}
