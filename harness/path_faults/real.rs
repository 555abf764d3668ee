//! Real handlers over stdio, by hand: `HANDLER="python adapter.py" cargo test --test path_faults -- --ignored real`.

use std::time::Instant;

use libtest_mimic::Trial;
use memconf::case::{Level, builtin_catalogue};
use memconf::fuzz::paths::{PathAttacks, attack_stdio};
use memconf::fuzz::{FuzzOptions, fuzz};
use memconf::judge::Demands;
use memconf::transport::StdioCommand;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("real", || {
            let Ok(handler) = std::env::var("HANDLER") else { return Err("HANDLER is not set".into()) };
            let words = handler.split_whitespace().map(str::to_owned).collect();
            let count = std::env::var("ATTACKS").ok().and_then(|count| count.parse().ok()).unwrap_or(3000);
            let options = FuzzOptions { jobs: 1, seed: 1, count, time: None, demands: Demands::default() };
            let connect = attack_stdio(StdioCommand::new(words));
            let started = Instant::now();
            let found = fuzz(&PathAttacks::new(1), builtin_catalogue(), &connect, &options, &mut |_| {})?;
            let rate = found.report.attempts as f64 / started.elapsed().as_secs_f64();
            println!("{:?}: {} attempts, {rate:.0}/s", found.report.handler, found.report.attempts);
            for result in &found.report.results {
                let level = result.worst().map_or("", Level::as_str);
                println!("{level:7} {}\n        {}", result.id, result.title);
                if std::env::var_os("SHOW").is_some() {
                    let case = found.cases.iter().find(|case| case.id == result.id).unwrap();
                    println!("{}", case.to_json());
                    result.failures.iter().for_each(|failure| println!("  - {}", failure.message));
                }
            }
            Ok(())
        })
        .with_ignored_flag(true),
    ]
}
