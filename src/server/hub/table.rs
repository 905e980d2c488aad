//! A map that remembers which of its entries may have changed, so that deadlines and limits are looked at for those
//! alone.
//!
//! Every machine of the server keeps what it owns in one; the hub asks for the changes after each event.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
pub struct Table<K, V> {
    entries: BTreeMap<K, V>,
    /// Handed out to be changed, put in or taken out since the last `take_changed`.
    changed: BTreeSet<K>,
}

impl<K: Ord + Copy, V> Table<K, V> {
    pub fn new() -> Table<K, V> {
        Table { entries: BTreeMap::new(), changed: BTreeSet::new() }
    }

    pub fn get(&self, key: K) -> Option<&V> {
        self.entries.get(&key)
    }

    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let entry = self.entries.get_mut(&key)?;
        self.changed.insert(key);
        Some(entry)
    }

    pub fn insert(&mut self, key: K, value: V) {
        self.changed.insert(key);
        self.entries.insert(key, value);
    }

    pub fn remove(&mut self, key: K) -> Option<V> {
        self.changed.insert(key);
        self.entries.remove(&key)
    }

    pub fn contains(&self, key: K) -> bool {
        self.entries.contains_key(&key)
    }

    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.entries.keys().copied()
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.entries.values()
    }

    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.entries.iter().map(|(key, value)| (*key, value))
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry is to be looked at again although nothing of it has changed.
    pub fn touch(&mut self, key: K) {
        self.changed.insert(key);
    }

    pub fn take_changed(&mut self) -> BTreeSet<K> {
        std::mem::take(&mut self.changed)
    }
}

impl<K: Ord + Copy, V: Default> Table<K, V> {
    /// The entry, made if there is none.
    pub fn of(&mut self, key: K) -> &mut V {
        self.changed.insert(key);
        self.entries.entry(key).or_default()
    }
}
