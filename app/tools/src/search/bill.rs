//! The bill of a scenario: prices of its machines.

use crossover_page::command::Command;
use crossover_page::widgets::form;
use crossover_quantity::unit::Unit;
use crossover_study::bill::{Bill, Item, ItemKind};
use crossover_study::{Figure, Subject, numbers};
use egui::{CollapsingHeader, ComboBox, Role, TextEdit, Ui, WidgetInfo};

use super::super::pick::Target;

/// Draws the bill, or a button that adds one.
pub(super) fn show(ui: &mut Ui, target: &Target<'_>, commands: &mut Vec<Command>) {
    ui.heading("Prices");
    let study = &target.scenario.study;
    let mut edited = study.clone();
    if study.subject().bill().is_none() {
        ui.label(if has_cost(study.subject()) {
            "Cost figures use the prices of this scenario. Enter prices here to add purchase price and energy."
        } else {
            "Enter prices to add cost and energy to the figures."
        });
        if ui.button("Enter prices").clicked() {
            let subject = edited.subject_mut();
            let bill = begun(subject);
            *subject.bill_mut() = Some(Box::new(bill));
        }
    } else {
        edit(ui, edited.subject_mut(), commands);
    }
    if edited != *study {
        commands.push(Command::ChangeStudy { document: target.id.to_owned(), study: Box::new(edited) });
    }
}

/// Whether figures of a study are amounts of money without a bill, because it has prices of its own.
fn has_cost(subject: &dyn Subject) -> bool {
    let is_cost = |figure: &Figure| figure.unit == Unit::UsDollars;
    let has_price = || numbers(subject).iter().any(|(_, quantity, value)| quantity.unit.is_price() && *value > 0.0);
    subject.figures().iter().any(is_cost) && has_price()
}

/// A bill that counts machines, where the study has them.
fn begun(subject: &dyn Subject) -> Bill {
    let mut bill = Bill::begun(subject.figures());
    let per =
        |path: &str| numbers(subject).iter().any(|(known, ..)| known.to_string() == path).then(|| path.to_owned());
    let machines: Vec<String> = per("cluster.machines").into_iter().collect();
    let gpus: Vec<String> = machines.iter().cloned().chain(per("gpu.gpus_per_machine")).collect();
    bill.items = vec![Item { kind: ItemKind::Node, per: machines, ..Item::named("machines") }];
    if !gpus.is_empty() {
        bill.items.push(Item { kind: ItemKind::Gpu, per: gpus, ..Item::named("GPUs") });
    }
    bill
}

fn edit(ui: &mut Ui, subject: &mut dyn Subject, commands: &mut Vec<Command>) {
    let Some(bill) = subject.bill_mut() else { return };
    ui.horizontal(|ui| {
        ui.label("Prices of");
        let field = TextEdit::singleline(&mut bill.as_of).hint_text("May 2026").desired_width(120.0);
        ui.add(field).widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "date of the prices"));
        ui.weak("US dollars");
    });
    let names: Vec<String> = bill.items.iter().map(|item| item.name.clone()).collect();
    form::grid(ui, "bill", |ui| {
        form::rows(ui, subject, "bill", &[&Bill::YEARS, &Bill::UTILISATION, &Bill::USD_PER_KWH, &Bill::PUE], commands);
    });
    let mut gone = None;
    for (place, name) in names.iter().enumerate() {
        CollapsingHeader::new(name).id_salt(("item", place)).default_open(true).show(ui, |ui| {
            if counted(ui, subject, place) {
                gone = Some(place);
            }
            form::grid(ui, ("item", place), |ui| {
                let part = format!("bill.items.{name}");
                let quantities = [&Item::QUANTITY, &Item::USD, &Item::USD_PER_HOUR, &Item::WATTS];
                form::rows(ui, subject, &part, &quantities, commands);
            });
        });
    }
    form::legend(ui, subject);
    let Some(bill) = subject.bill_mut() else { return };
    let mut is_gone = false;
    ui.horizontal(|ui| {
        if ui.button("Add an item").clicked() {
            let mut numbered = (1..=names.len() + 1).map(|number| format!("item {number}"));
            let free = numbered.find(|name| !names.contains(name));
            bill.items.extend(free.as_deref().map(Item::named));
        }
        is_gone = ui.button("Remove prices").on_hover_text("Removes cost and energy from the figures").clicked();
    });
    if let Some(place) = gone.filter(|_| bill.items.len() > 1) {
        bill.items.remove(place);
    }
    if is_gone {
        *subject.bill_mut() = None;
    }
}

/// How often an item is needed; true if it is to be removed.
fn counted(ui: &mut Ui, subject: &mut dyn Subject, place: usize) -> bool {
    let known: Vec<String> = numbers(subject)
        .into_iter()
        .filter(|(_, quantity, _)| quantity.unit == Unit::Count)
        .map(|(path, ..)| path.to_string())
        .filter(|path| !path.starts_with("bill."))
        .collect();
    let Some(item) = subject.bill_mut().as_deref_mut().and_then(|bill| bill.items.get_mut(place)) else { return false };
    let mut is_gone = false;
    ui.horizontal(|ui| {
        let button = ui.small_button("×").on_hover_text("Remove this item");
        button.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("remove {}", item.name)));
        is_gone = button.clicked();
        let shown =
            if item.per.is_empty() { "once".to_owned() } else { format!("for each of {}", item.per.join(" × ")) };
        let combo =
            ComboBox::from_id_salt(("per", place)).selected_text(shown).width(ui.available_width() - 8.0).truncate();
        let combo = combo.show_ui(ui, |ui| {
            for path in known {
                let mut is_on = item.per.contains(&path);
                if ui.checkbox(&mut is_on, &path).changed() {
                    item.per.retain(|other| *other != path);
                    if is_on {
                        item.per.push(path);
                    }
                }
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, format!("count of {}", item.name)));
    });
    is_gone
}
