//! `help.txt` holds the help of every command of `crossover` and `gpu-bench`, so that a change of an option or its text is seen.
//!
//! With `CROSSOVER_UPDATE_DOCUMENTS=1` the file is rewritten instead.

use std::{env, fs};

use clap::Command;

use super::result;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/command_line/help.txt");

/// The help of every command of a program, each after the line that prints it, in the order of the help.
fn pages(mut program: Command) -> Vec<String> {
    program.build();
    let mut pages = Vec::new();
    let name = program.get_name().to_owned();
    add(&mut program, &name, &mut pages);
    pages
}

fn add(command: &mut Command, path: &str, pages: &mut Vec<String>) {
    pages.push(page(path, &command.render_long_help().to_string()));
    // clap's own command repeats all others.
    let below = command.get_subcommands_mut().filter(|below| below.get_name() != "help" && !below.is_hide_set());
    let mut below: Vec<&mut Command> = below.collect();
    below.sort_by_key(|below| (below.get_display_order(), below.get_name().to_owned()));
    for command in below {
        let path = format!("{path} {}", command.get_name());
        add(command, &path, pages);
    }
}

fn page(path: &str, help: &str) -> String {
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    format!("$ {path} --help\n{}\n", lines.join("\n"))
}

#[test]
fn the_help_of_every_command_is_that_of_the_file() {
    let programs = [crossover::cli::command(), crossover_gpu_bench::cli::command()];
    let printed = programs.into_iter().flat_map(pages).collect::<Vec<_>>().join("\n");
    if env::var_os("CROSSOVER_UPDATE_DOCUMENTS").is_some() {
        fs::write(FILE, printed).expect("written");
        return;
    }
    let update = "CROSSOVER_UPDATE_DOCUMENTS=1 rewrites it";
    let kept = fs::read_to_string(FILE).unwrap_or_else(|error| panic!("cannot read {FILE}: {error}; {update}"));
    let [mut old, mut new] = [&kept, &printed].map(|text| text.lines());
    for number in 1.. {
        let lines = [old.next(), new.next()];
        assert_eq!(lines[0], lines[1], "{FILE}:{number} is out of date; {update}");
        if lines == [None, None] {
            return;
        }
    }
}

/// The program breaks lines otherwise where no option has a longer text.
#[test]
fn the_help_of_the_file_is_what_the_program_prints() {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let pages: Vec<Vec<String>> = pages(crossover::cli::command()).iter().map(|page| words(page)).collect();
    let paths: [&[&str]; 4] = [&[], &["evaluate"], &["import", "openb"], &["bench", "run"]];
    for path in paths {
        let printed = result(&[path, &["--help"][..]].concat());
        let expected = page(&[&["crossover"][..], path].concat().join(" "), &printed);
        assert!(pages.contains(&words(&expected)), "{expected}");
    }
}
