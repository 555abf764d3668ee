//! One worker: a transport, a part of the sandbox, and what it has learned of its handler.

use std::time::Instant;

use serde_json::Value;

use super::Connect;
use crate::case::{Action, Case, Catalogue, Facet, Need};
use crate::event::HandlerInfo;
use crate::judge::{CaseJudge, CaseResult, Demands, Evidence, Profile};
use crate::sandbox::{Area, Disk, SandboxError};
use crate::transport::{Fault, Transport};
use crate::wire::{PATH_PARAMETERS, Ready, ToolResult};

/// Runs one case after the other on a handler of its own.
pub struct Worker<'a> {
    transport: Box<dyn Transport>,
    area: Area,
    catalogue: &'a Catalogue,
    demands: &'a Demands,
    profile: Option<Profile>,
    info: HandlerInfo,
    /// Why no handler can be had at all: it would be the same for every case.
    hopeless: Option<String>,
    /// What a handler that cannot be started wrote to its log.
    last_words: String,
}

impl<'a> Worker<'a> {
    /// Nothing is started before the first case.
    pub fn new(connect: &dyn Connect, area: Area, catalogue: &'a Catalogue, demands: &'a Demands) -> Self {
        let info = HandlerInfo { transport: connect.transport().into(), ..HandlerInfo::default() };
        let transport = connect.connect(&area);
        Worker { transport, area, catalogue, demands, profile: None, info, hopeless: None, last_words: String::new() }
    }

    /// Runs one case in a store of its own.
    pub fn run(&mut self, case: &Case) -> CaseResult {
        let started = Instant::now();
        let profile = self.profile();
        let mut judge = CaseJudge::new(case, self.catalogue, &profile, self.demands);
        match &self.hopeless {
            Some(why) => judge.could_not_run(why.clone()),
            None => {
                if let Err(error) = self.steps(case, &mut judge) {
                    judge.harness_error(error.to_string());
                }
            }
        }
        let log = match (&self.hopeless, judge.has_trouble()) {
            // The same for all cases, and told once.
            (Some(_), _) => std::mem::take(&mut self.last_words),
            (None, true) => self.transport.log(),
            (None, false) => String::new(),
        };
        let mut result = judge.finish();
        result.log = log;
        result.rewrite(|text| self.area.neutral(text));
        self.area.end();
        result.duration = started.elapsed();
        result
    }

    /// Ends the handler, and says what it was and what was odd about it.
    pub fn close(mut self) -> (HandlerInfo, Vec<String>) {
        let mut warnings = self.transport.warnings();
        if let Some(profile) = &self.profile {
            warnings.extend(profile.troubles.iter().map(|trouble| self.area.neutral(trouble)));
        }
        (self.info, warnings)
    }

    /// Ends the handler, and gives back the part of the sandbox.
    pub fn into_area(self) -> Area {
        self.area
    }

    /// What the harmless script shows of the handler, learned before the first case.
    fn profile(&mut self) -> Profile {
        if let Some(profile) = &self.profile {
            return profile.clone();
        }
        let mut profile = Profile::default();
        match self.begin() {
            Ok(_) => {
                for input in Profile::script() {
                    match self.transport.call(&input) {
                        Ok(reply) => profile.learn(&input, &reply),
                        Err(fault) => {
                            self.hopeless = self.cannot_start(&fault);
                            if self.hopeless.is_some() {
                                self.last_words = self.transport.log();
                                break;
                            }
                            let command = input["command"].as_str().unwrap_or_default();
                            profile.troubles.push(format!("`{command}` of a plain file: {fault}"));
                            break;
                        }
                    }
                }
            }
            Err(Ok(fault)) if fault.is_hopeless() => self.hopeless = Some(fault.to_string()),
            // Said once more by the cases themselves.
            Err(_) => {}
        }
        self.area.end();
        self.profile = Some(profile.clone());
        profile
    }

    /// Why the handler cannot be started, where it ends before any answer. It may be one command that ends it, so that
    /// another is sent to a new process first.
    fn cannot_start(&mut self, fault: &Fault) -> Option<String> {
        let never = |fault: &Fault, transport: &dyn Transport| {
            matches!(fault, Fault::Ended { .. }) && !transport.has_answered()
        };
        if !never(fault, self.transport.as_ref()) {
            return None;
        }
        self.begin().ok()?;
        let create = Profile::script().into_iter().find(|input| input["command"] == "create")?;
        let again = self.transport.call(&create).err().filter(|fault| never(fault, self.transport.as_ref()))?;
        let Fault::Ended { status } = &again else { return None };
        Some(format!(
            "the handler does not start: each of its processes ended by itself ({status}); see its log, or start it \
             without memconf"
        ))
    }

    fn begin(&mut self) -> Result<Ready, Result<Fault, SandboxError>> {
        let root = self.area.begin().map_err(Err)?;
        let ready = self.transport.begin(&root).map_err(Ok)?;
        self.info.name = ready.name.clone().or(self.info.name.take());
        self.info.version = ready.version.clone().or(self.info.version.take());
        self.info.url = ready.url.clone().or(self.info.url.take());
        Ok(ready)
    }

    fn steps(&mut self, case: &Case, judge: &mut CaseJudge<'_>) -> Result<(), SandboxError> {
        if case.needs(Need::Concurrency) {
            judge.not_applicable("several commands at once are not sent over this transport");
            return Ok(());
        }
        let ready = match self.begin() {
            Ok(ready) => ready,
            Err(Ok(fault)) => {
                judge.could_not_run(format!("no handler with an empty store: {fault}"));
                return Ok(());
            }
            Err(Err(error)) => return Err(error),
        };
        let about_safety = case.needs(Need::Disk) || self.is_about_safety(case);
        let disk = self.area.guard(ready.store.as_deref(), about_safety)?;
        self.info.disk |= disk.is_some();
        if case.needs(Need::Disk) && disk.is_none() {
            judge.not_applicable("memconf does not see the store's directory: `ready` names no `store` below the root");
            return Ok(());
        }
        if case.needs(Need::Restart) && !ready.persists.unwrap_or(ready.store.is_some()) {
            judge.not_applicable(
                "the store does not outlive the process: `ready` has neither `store` nor `persists: true`",
            );
            return Ok(());
        }
        self.play(case, judge, disk.as_ref())?;
        if about_safety {
            let changes = self.area.changes(&judge.sent_names());
            judge.outside(&changes);
        } else {
            let changes = self.area.changes(&Default::default());
            judge.outside(&changes);
        }
        Ok(())
    }

    fn play(&mut self, case: &Case, judge: &mut CaseJudge<'_>, disk: Option<&Disk>) -> Result<(), SandboxError> {
        let outside = self.area.outside().display().to_string();
        let store = disk.map(|disk| disk.store().display().to_string());
        for (index, step) in case.steps.iter().enumerate() {
            if !judge.wants(index) {
                continue;
            }
            match &step.action {
                Action::Call(input) => {
                    let filled = fill(input, &outside, store.as_deref());
                    let input = filled.as_ref().unwrap_or(input);
                    match self.transport.call(input) {
                        Ok(reply) => {
                            let names_path = self.area.names_host_path(&reply.content);
                            let evidence = Evidence {
                                leak: self.area.leaked(&reply.content),
                                host_path: filled.is_none() && names_path,
                                disk,
                            };
                            if names_path || filled.is_some() {
                                // Told the same way in every run, before anything is cut.
                                let content = self.area.neutral(&reply.content);
                                let input = self.neutral_paths(input);
                                judge.call(index, &input, &ToolResult { content, ..reply }, evidence);
                            } else {
                                judge.call(index, input, &reply, evidence);
                            }
                        }
                        Err(fault) => {
                            judge.fault(index, &fault);
                            return Ok(());
                        }
                    }
                }
                Action::Restart => match self.transport.restart() {
                    Ok(()) => {}
                    Err(Fault::CannotRestart { reason }) => {
                        judge.not_applicable(format!("the handler cannot be restarted: {reason}"));
                        return Ok(());
                    }
                    Err(fault) => {
                        judge.could_not_run(format!("the restart failed: {fault}"));
                        return Ok(());
                    }
                },
                Action::Plant(plant) => {
                    if let Some(why) = disk.map(|disk| disk.plant(plant)).transpose()?.flatten() {
                        judge.not_applicable(format!("{} shows nothing: {why}", plant.path));
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn neutral_paths(&self, input: &Value) -> Value {
        let mut input = input.clone();
        for name in PATH_PARAMETERS {
            if let Some(Value::String(path)) = input.get_mut(name) {
                *path = self.area.neutral(path);
            }
        }
        input
    }

    fn is_about_safety(&self, case: &Case) -> bool {
        let ids = case.requirements.iter().chain(case.steps.iter().flat_map(|step| &step.requirements));
        ids.filter_map(|id| self.catalogue.get(id)).any(|one| one.facets.contains(&Facet::Safety))
    }
}

/// The input with `{outside}` and `{store}` in its paths replaced; `None` where there is nothing to replace.
fn fill(input: &Value, outside: &str, store: Option<&str>) -> Option<Value> {
    let mut holes = vec![("{outside}", outside)];
    holes.extend(store.map(|store| ("{store}", store)));
    let mut filled = None;
    for name in PATH_PARAMETERS {
        let Some(path) = input.get(name).and_then(Value::as_str) else { continue };
        if holes.iter().any(|(hole, _)| path.contains(hole)) {
            let path = holes.iter().fold(path.to_owned(), |path, (hole, place)| path.replace(hole, place));
            filled.get_or_insert_with(|| input.clone())[name] = Value::String(path);
        }
    }
    filled
}
