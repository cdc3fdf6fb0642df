//! scratch
use crossover::workbench::{Start, Workbench};
use crossover::command::*;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
fn win(size:[f32;2], scale:f32, dark: bool)->Harness<'static,Workbench>{
  let mut w=Harness::builder().with_size(size).with_pixels_per_point(scale).with_theme(if dark {egui::Theme::Dark} else {egui::Theme::Light}).wgpu().build_eframe(|c| Workbench::new(c, Start::default()));
  w.run_steps(8); w }
fn shot(w:&mut Harness<'static,Workbench>, n:&str){ w.run_steps(6); w.render().unwrap().save(format!("/tmp/shots/{n}.png")).unwrap(); }
#[test] fn scratch(){
  let mut w=win([1280.0,800.0],1.0,false);
  w.get_by_label("File").click(); shot(&mut w,"s-file");
  w.key_press(egui::Key::Escape); w.run_steps(3);
  w.state_mut().send(Command::Palette); shot(&mut w,"s-palette");
  w.key_press(egui::Key::Escape); w.run_steps(3);
  w.get_by_label("cluster.machines").hover(); w.run_steps(40); shot(&mut w,"s-tip");
  w.hover_at(egui::pos2(640.0,300.0)); w.run_steps(40); shot(&mut w,"s-cross");
  w.get_by_role_and_label(egui::accesskit::Role::ComboBox,"GPU preset").click(); shot(&mut w,"s-combo");
  w.key_press(egui::Key::Escape); w.run_steps(3);
  w.state_mut().edit_active(|s| s.name="x".into()); w.state_mut().send(Command::CloseTab); shot(&mut w,"s-unsaved");
  let mut w=win([1280.0,800.0],1.0,true);
  w.state_mut().send(Command::OpenExample(Example::Modern)); shot(&mut w,"s-modern");
  w.state_mut().send(Command::OpenExample(Example::Small)); shot(&mut w,"s-small");
  w.state_mut().send(Command::ShowFormulas); shot(&mut w,"s-formulas");
  let mut w=win([800.0,600.0],1.0,false); shot(&mut w,"s-narrow");
  let mut w=win([1280.0,800.0],2.0,false); shot(&mut w,"s-2x");
  w.state_mut().send(Command::OpenPath("/no/file.ron".into())); std::thread::sleep(std::time::Duration::from_millis(100)); shot(&mut w,"s-error");
  for _ in 0..1 { w.state_mut().send(Command::CloseTab); } shot(&mut w,"s-empty");
}
