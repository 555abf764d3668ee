//! Times, for people: `cargo test --release --lib reference::tests::speed -- --ignored --nocapture --test-threads 1`.

use std::time::{Duration, Instant};

use super::*;

fn timed(handler: &mut dyn Handler, input: &Value) -> (Duration, ToolResult) {
    let start = Instant::now();
    let result = handler.call(input);
    (start.elapsed(), result)
}

fn large_files(name: &str, handler: &mut dyn Handler) {
    // 999,998 lines of 64 bytes, 61 MiB; one more line may be inserted before the view's limit.
    let text = format!("{}\n", "x".repeat(63)).repeat(999_997) + "the needle\n";
    let commands = [
        create("/memories/big", &text),
        view("/memories/big"),
        json!({"command": "view", "path": "/memories/big", "view_range": [999_990, -1]}),
        insert("/memories/big", 500_000, "one line"),
        str_replace("/memories/big", "the needle", "a nail"),
        str_replace("/memories/big", "the needle", "a nail"),
        str_replace("/memories/big", "x\nx", "a nail"),
        insert("/memories/big", -1, "one line"),
        view("/memories"),
        rename("/memories/big", "/memories/large"),
        delete("/memories/large"),
    ];
    for input in &commands {
        let (time, result) = timed(handler, input);
        let asked = input.to_string().chars().take(100).collect::<String>();
        println!("{name:9} {:8.1} ms  {:>9} bytes  {asked}", time.as_secs_f64() * 1e3, result.content.len());
    }
}

#[test]
#[ignore = "a measurement"]
fn of_large_files() {
    let mut memory = Reference::in_memory();
    large_files("memory", &mut memory);
    let root = TempDir::new().unwrap();
    let mut directory = Reference::in_directory();
    directory.reset(root.path());
    large_files("directory", &mut directory);
}

#[test]
#[ignore = "a measurement"]
fn of_small_files() {
    let commands = [
        create("/memories/d/a.txt", "one\ntwo\nthree\n"),
        view("/memories"),
        view("/memories/d/a.txt"),
        str_replace("/memories/d/a.txt", "two", "2"),
        insert("/memories/d/a.txt", 1, "more"),
        rename("/memories/d/a.txt", "/memories/e/b.txt"),
        delete("/memories/e"),
    ];
    let root = TempDir::new().unwrap();
    let mut directory = Reference::in_directory();
    directory.reset(root.path());
    let both: [(&str, Box<dyn Handler>, u32); 2] =
        [("memory", Box::new(Reference::in_memory()), 100_000), ("directory", Box::new(directory), 2_000)];
    for (name, mut handler, rounds) in both {
        let start = Instant::now();
        for _ in 0..rounds {
            for input in &commands {
                assert!(!handler.call(input).is_error);
            }
        }
        let count = f64::from(rounds) * commands.len() as f64;
        println!("{name:9} {:9.0} commands a second", count / start.elapsed().as_secs_f64());
    }
}
