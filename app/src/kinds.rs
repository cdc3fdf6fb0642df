//! The kinds of studies: one entry each. Everything outside the rooms of a study finds it here.

use crossover_model::scenario::{Kind, Study};

use crate::ask::Request;
use crate::page::Page;
use crate::room::{Place, Room};
use crate::studies::{placement, regulation};
use crate::terminal::Subcommand;

/// A kind of study.
pub(crate) struct Entry {
    /// What it is in the window, and how its outcome is written.
    pub(crate) room: &'static dyn Room,
    /// What it adds to the command line.
    pub(crate) subcommands: &'static [Subcommand],
}

/// The entry of a kind.
#[must_use]
pub(crate) fn entry(kind: Kind) -> Entry {
    match kind {
        Kind::Placement => Entry { room: &placement::Room, subcommands: &placement::SUBCOMMANDS },
        Kind::Regulation => Entry { room: &regulation::Room, subcommands: &regulation::SUBCOMMANDS },
    }
}

/// The page of a study as it is first shown.
#[must_use]
pub(crate) fn page(study: &Study) -> Box<dyn Page> {
    match study {
        Study::Placement(study) => Box::new(placement::View::new(study)),
        Study::Regulation(study) => Box::new(regulation::View::new(study)),
    }
}

/// All entries, in the order of menus.
pub(crate) fn all() -> impl Iterator<Item = Entry> {
    Kind::ALL.into_iter().map(entry)
}

/// All rooms, in the order of menus.
pub(crate) fn rooms() -> impl Iterator<Item = &'static dyn Room> {
    all().map(|entry| entry.room)
}

/// The room of a kind.
#[must_use]
pub(crate) fn room(kind: Kind) -> &'static dyn Room {
    entry(kind).room
}

/// The requests that stand at places of this sort.
pub(crate) fn requests(is_wanted: impl Fn(Place) -> bool) -> impl Iterator<Item = Request> {
    let requests = rooms().flat_map(Room::requests);
    requests.filter(move |(place, _)| is_wanted(*place)).map(|(_, request)| request)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_example_and_template_opens_as_the_kind_that_it_is_listed_for() {
        for room in super::rooms() {
            let kind = room.template().kind;
            for example in room.examples().iter().chain([&room.template().example]) {
                let scenario = crossover_model::scenario::read(example.text).expect("a valid example");
                assert_eq!(scenario.study.kind(), kind, "{}", example.label);
            }
        }
    }
}
