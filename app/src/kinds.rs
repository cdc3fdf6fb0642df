//! The kinds of studies: what stands outside the rooms of a study finds it here.

use crossover_scenario::for_each_kind;
use crossover_scenario::{Kind, Study};

use crate::ask::Request;
use crate::command::Command;
use crate::offer::Offering;
use crate::page::Page;
use crate::room::{Place, Room};
use crate::tool::ToolKind;
use crate::{calibrate, studies, tools};

macro_rules! rooms {
    ($($(#[doc = $meaning:literal])+ $kind:ident($key:literal, $study:ident, $study_mut:ident) => $type:path),+ $(,)?) => {
        /// The room of a kind: that of its module in [`studies`].
        #[must_use]
        pub(crate) fn room(kind: Kind) -> &'static dyn Room {
            match kind {
                $(Kind::$kind => &studies::$study::Room,)+
            }
        }
    };
}

for_each_kind!(rooms);

/// What a search may give a study of a kind.
pub(crate) fn offering(kind: Kind) -> &'static dyn Offering {
    room(kind)
}

/// All rooms, in the order of menus.
pub(crate) fn rooms() -> impl Iterator<Item = &'static dyn Room> {
    Kind::ALL.into_iter().map(room)
}

/// All tools, in the order of the menu: those of every study, then those of one kind.
pub(crate) fn tools() -> impl Iterator<Item = &'static ToolKind> {
    [
        &calibrate::KIND,
        &tools::sweep::KIND,
        &tools::map::KIND,
        &tools::compare::KIND,
        &tools::uncertainty::KIND,
        &tools::search::KIND,
    ]
    .into_iter()
    .chain(rooms().flat_map(|room| room.tools().iter().copied()))
}

/// The commands that show tools, in the order of the menu.
pub(crate) fn tool_commands() -> impl Iterator<Item = Command> {
    tools().map(|kind| Command::ShowTool(kind.tool))
}

/// The page of a study as it is first shown.
#[must_use]
pub(crate) fn page(study: &Study) -> Box<dyn Page> {
    room(study.kind()).page(study)
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
                let scenario = crossover_scenario::read(example.text).expect("a valid example");
                assert_eq!(scenario.study.kind(), kind, "{}", example.label);
                // Its page can be made.
                _ = super::page(&scenario.study);
            }
        }
    }
}
