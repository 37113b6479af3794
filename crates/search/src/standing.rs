//! Which row's vector stands at which place, and the other way round, as of one commit.

use crate::catalog::{Catalog, Row};
use crate::vectors::{Flat, Place};

/// Both are empty where there is no vector at all.
#[derive(Default)]
pub(crate) struct Standing {
    places: Vec<Place>,
    rows: Vec<Row>,
}

/// Of a row, that it has no vector yet; of a place, that nobody's stands there.
const NONE: u32 = u32::MAX;

impl Standing {
    pub(crate) fn of(catalog: &Catalog, flat: &Flat) -> Standing {
        let mut standing = Standing::default();
        if flat.len() == 0 {
            return standing;
        }
        standing.places.resize(catalog.len(), NONE);
        standing.rows.resize(flat.len(), NONE);
        for row in catalog.rows() {
            if let Some(place) = flat.place(catalog.keys[row as usize]) {
                standing.put(row, place);
            }
        }
        standing
    }

    pub(crate) fn put(&mut self, row: Row, place: Place) {
        set(&mut self.places, row, place);
        set(&mut self.rows, place, row);
    }

    pub(crate) fn remove(&mut self, row: Row) {
        if let Some(place) = self.places.get_mut(row as usize) {
            *place = NONE;
        }
    }

    pub(crate) fn place(&self, row: Row) -> Option<Place> {
        self.places.get(row as usize).copied().filter(|place| *place != NONE)
    }

    /// Whose vector stands at a place; `None` if a later one has taken over.
    pub(crate) fn row(&self, place: Place) -> Option<Row> {
        let row = self.rows.get(place as usize).copied().filter(|row| *row != NONE)?;
        (self.place(row) == Some(place)).then_some(row)
    }
}

fn set(all: &mut Vec<u32>, at: u32, to: u32) {
    let at = at as usize;
    if all.len() <= at {
        all.resize(at + 1, NONE);
    }
    all[at] = to;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_vector_takes_over_and_one_that_is_taken_out_stands_nowhere() {
        let mut standing = Standing::default();
        assert_eq!((standing.place(3), standing.row(0)), (None, None));
        standing.put(3, 0);
        standing.put(1, 1);
        standing.put(3, 2);
        assert_eq!([0, 1, 2, 3].map(|place| standing.row(place)), [None, Some(1), Some(3), None]);
        assert_eq!([0, 1, 2, 3].map(|row| standing.place(row)), [None, Some(1), None, Some(2)]);
        standing.remove(3);
        standing.remove(9);
        assert_eq!((standing.place(3), standing.row(2)), (None, None));
    }
}
