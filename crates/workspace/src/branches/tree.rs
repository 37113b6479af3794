//! The tree that the messages of a group are.
//!
//! Pure. A branch is a way from the first message to one that nothing follows.

use domain::{MessageId, Variant, Variants};
use std::collections::{BTreeMap, HashMap, HashSet};
use store::table::branches::Place;

pub(super) struct Tree<'a> {
    places: &'a [Place],
    by_seq: HashMap<i64, &'a Place>,
    /// What follows each, in the order in which it was written.
    behind: BTreeMap<i64, Vec<&'a Place>>,
}

impl<'a> Tree<'a> {
    /// Of all messages of a group, oldest first.
    pub(super) fn new(places: &'a [Place]) -> Tree<'a> {
        let mut behind: BTreeMap<i64, Vec<&Place>> = BTreeMap::new();
        for place in places {
            behind.entry(place.follows).or_default().push(place);
        }
        Tree { places, by_seq: places.iter().map(|place| (place.seq, place)).collect(), behind }
    }

    /// The branch through this message; behind it the one that was begun last.
    pub(super) fn through(&self, message: MessageId) -> HashSet<i64> {
        let found = self.places.iter().find(|place| place.id == message);
        let mut branch = HashSet::new();
        let mut above = found;
        while let Some(place) = above {
            branch.insert(place.seq);
            above = self.by_seq.get(&place.follows).copied();
        }
        let mut below = found;
        while let Some(place) = below {
            branch.insert(place.seq);
            below = self.behind.get(&place.seq).and_then(|next| next.last()).copied();
        }
        branch
    }

    /// The messages outside `aside` in whose place others can stand.
    pub(super) fn variants(&self, aside: &HashSet<i64>) -> Vec<Variants> {
        let forks = self.behind.values().filter(|next| next.len() > 1);
        let shown = forks.filter_map(|next| {
            let shown = next.iter().find(|place| !aside.contains(&place.seq))?.id;
            let variant = |place: &&Place| Variant { message: place.id, seq: place.seq };
            Some(Variants { shown, all: next.iter().map(variant).collect() })
        });
        shown.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn id(seq: i64) -> MessageId {
        MessageId(Uuid::from_u128(seq as u128))
    }

    /// Messages 1, 2, 3 …, each of which follows an earlier one.
    fn tree(follows: &[i64]) -> Vec<Place> {
        (1..)
            .zip(follows)
            .map(|(seq, follows)| Place { seq, id: id(seq), follows: *follows })
            .collect()
    }

    fn of(shown: i64, all: &[i64]) -> Variants {
        let variant = |seq: &i64| Variant { message: id(*seq), seq: *seq };
        Variants { shown: id(shown), all: all.iter().map(variant).collect() }
    }

    #[test]
    fn a_branch_goes_through_what_was_begun_last() {
        // 1 ─ 2 ─ 3
        //   └ 4 ┬ 5
        //       └ 6
        let places = tree(&[0, 1, 2, 1, 4, 4]);
        let tree = Tree::new(&places);
        assert_eq!(tree.through(id(2)), HashSet::from([1, 2, 3]));
        assert_eq!(tree.through(id(4)), HashSet::from([1, 4, 6]));
        assert_eq!(tree.through(id(5)), HashSet::from([1, 4, 5]));
        let variants = tree.variants(&HashSet::from([2, 3, 5]));
        assert_eq!(variants, [of(4, &[2, 4]), of(6, &[5, 6])]);
    }

    #[test]
    fn the_first_message_has_variants_too() {
        let places = tree(&[0, 1, 0]);
        let tree = Tree::new(&places);
        assert_eq!(tree.through(id(3)), HashSet::from([3]));
        let variants = tree.variants(&HashSet::from([1, 2]));
        assert_eq!(variants, [of(3, &[1, 3])]);
    }

    proptest! {
        #[test]
        fn a_branch_is_a_way_from_the_first_message_to_one_that_nothing_follows(
            picks in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
            at in any::<prop::sample::Index>(),
        ) {
            let follows: Vec<i64> =
                picks.iter().enumerate().map(|(n, pick)| pick.index(n + 1) as i64).collect();
            let places = tree(&follows);
            let tree = Tree::new(&places);
            let chosen = at.index(places.len()) as i64 + 1;
            let mut branch: Vec<i64> = tree.through(id(chosen)).into_iter().collect();
            branch.sort_unstable();
            prop_assert!(branch.contains(&chosen));
            let mut before = 0;
            for seq in &branch {
                prop_assert_eq!(follows[*seq as usize - 1], before);
                before = *seq;
            }
            prop_assert!(!follows.contains(&before));
            // Each fork on the way has one of its messages shown.
            let aside: HashSet<i64> = (1..=places.len() as i64).filter(|seq| !branch.contains(seq)).collect();
            for variants in tree.variants(&aside) {
                let of_it = |one: &&Variant| branch.contains(&one.seq);
                prop_assert_eq!(variants.all.iter().filter(of_it).count(), 1);
                prop_assert!(variants.all.iter().any(|one| one.message == variants.shown));
            }
        }
    }
}
