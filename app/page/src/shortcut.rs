//! Labels of keyboard shortcuts, with each key as it is printed on keyboards: “Ctrl+/”.

use egui::{Context, Key, KeyboardShortcut};

/// “Ctrl+Shift+P”; on macOS “⇧⌘P”, if the fonts have these symbols.
#[must_use]
pub fn label(ctx: &Context, KeyboardShortcut { modifiers, logical_key }: KeyboardShortcut) -> String {
    let mut text = ctx.format_modifiers(modifiers);
    // The symbols of macOS have nothing between them.
    if !text.is_empty() && text.is_ascii() {
        text.push('+');
    }
    text + key_label(logical_key)
}

fn key_label(key: Key) -> &'static str {
    match key {
        Key::Escape => "Esc",
        // The sign for subtraction is on no keyboard.
        Key::Minus => "-",
        Key::Quote => "'",
        Key::ArrowDown | Key::ArrowLeft | Key::ArrowRight | Key::ArrowUp => key.name(),
        _ => key.symbol_or_name(),
    }
}

#[cfg(test)]
mod tests {
    use egui::Modifiers;
    use egui::os::OperatingSystem;

    use super::*;

    const SHIFT_COMMAND: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

    #[test]
    fn a_key_is_labelled_as_it_is_printed() {
        let ctx = Context::default();
        ctx.set_os(OperatingSystem::Nix);
        for (modifiers, key, expected) in [
            (Modifiers::COMMAND, Key::Slash, "Ctrl+/"),
            (Modifiers::COMMAND, Key::Plus, "Ctrl++"),
            (Modifiers::COMMAND, Key::Minus, "Ctrl+-"),
            (Modifiers::COMMAND, Key::Num0, "Ctrl+0"),
            (SHIFT_COMMAND, Key::P, "Ctrl+Shift+P"),
            (SHIFT_COMMAND, Key::PageDown, "Ctrl+Shift+PageDown"),
            (Modifiers::NONE, Key::F1, "F1"),
            (Modifiers::NONE, Key::Escape, "Esc"),
            (Modifiers::ALT, Key::ArrowLeft, "Alt+Left"),
            (Modifiers::CTRL, Key::Quote, "Ctrl+'"),
        ] {
            assert_eq!(label(&ctx, KeyboardShortcut::new(modifiers, key)), expected);
        }
    }
}
