//! Logs on other machines: in a bucket, on a server.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossover::workbench::Start;
use crossover_fleet_page::{Request, TOOL};
use crossover_page::command::Command;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use tempfile::TempDir;

use super::super::super::{send, settle, type_path, window, window_with};
use super::super::{click, fixture, look_into_the_first, open};
use super::says;

#[test]
fn addresses_with_a_password_are_refused_before_anything_is_written() {
    let out = TempDir::new().expect("a folder");
    let folder = out.path().join("results");
    let mut window = window();
    for address in ["http://me:secret@host:18080", "s3://AKIA:secret@logs", "hdfs://name/logs"] {
        send(&mut window, Command::ask(Request::ReadLogs(vec![PathBuf::from(address)], folder.clone())));
        let messages: Vec<String> = window.state().messages().map(str::to_owned).collect();
        let last = messages.last().expect("a message");
        assert!(last.starts_with("Cannot read these logs: ") && !last.contains("secret"), "{last}");
    }
    assert!(!folder.exists());
}

/// Answers every request as a History Server without applications does; gives its address and the number of requests so far.
fn history_server() -> (String, Arc<AtomicUsize>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    std::thread::Builder::new()
        .spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                counted.fetch_add(1, Ordering::SeqCst);
                let mut request = [0; 4096];
                _ = stream.read(&mut request);
                let answer =
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]";
                _ = stream.write_all(answer.as_bytes());
            }
        })
        .expect("a thread");
    (address, requests)
}

#[test]
fn an_address_is_typed_and_asked() {
    let home = TempDir::new().expect("a folder");
    let mut window = window_with(Start { fleets_folder: Some(home.path().to_owned()), ..Start::default() });
    send(&mut window, Command::ShowTool(TOOL));
    click(&mut window, "Read logs by address…");
    // Told before the question is answered.
    window.event(egui::Event::Text("s3:///logs".to_owned()));
    window.run_steps(3);
    says(&window, "the address has no bucket");
    type_path(&mut window, Path::new(&history_server().0));
    says(&window, "No Spark event log in http://127.0.0.1:");
}

#[test]
fn after_a_restart_an_address_is_shown_and_read_only_when_the_user_asks() {
    let (out, kept) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let (address, requests) = history_server();
    let start = || Start { tabs_file: Some(kept.path().join("tabs.ron")), ..Start::default() };
    let mut window = window_with(start());
    send(&mut window, Command::ask(Request::ReadLogs(vec![PathBuf::from(&address)], out.path().to_owned())));
    let before = requests.load(Ordering::SeqCst);
    assert!(before > 0);
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    let mut window = window_with(start());
    says(&window, &format!("No results of {address}. The logs are read only when you choose"));
    assert_eq!(requests.load(Ordering::SeqCst), before);
    click(&mut window, "Read again");
    assert!(requests.load(Ordering::SeqCst) > before);
    says(&window, "No Spark event log in http://127.0.0.1:");
}

#[test]
fn queries_of_logs_on_other_machines_are_not_opened() {
    let folder = TempDir::new().expect("a folder");
    fixture::write_of(folder.path(), 3, "s3://logs/spark-history", &fixture::base());
    let mut window = window();
    open(&mut window, folder.path());
    look_into_the_first(&mut window);
    window.get_by_role_and_label(Role::Row, "query 0").click_accesskit();
    settle(&mut window);
    for button in ["Open its plan", "Open the answer", "Find a cluster for it"] {
        assert!(window.get_by_label(button).accesskit_node().is_disabled(), "{button}");
    }
    says(&window, "The log is in a bucket or on a server");
}
