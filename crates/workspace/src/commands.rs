//! Doing what a person asked for: one arm per command, each a call.

use crate::lifecycle::another_model;
use crate::models::{own, windows};
use crate::served::Served;
use crate::shared::Shared;
use crate::{
    approvals, attachments, backup, branches, budget, drafts, feed, forgetting, groups, keeper,
    keys, lifecycle, memory, new_soul, once, outside, post, prices, proposals, questions,
    reactions, recover, schedules, servers, serving, skills, sources, stop,
};
use domain::{
    Appearance, Approvals, Command, Fault, FaultCode, FeedRules, FeedSource, McpServer,
    ModelChoice, ModelRole, Participant, PostView, Reply, RequestId, Schedule, ScheduleId,
    Settings, SettingsPatch, SoulSource,
};
use std::sync::Arc;
use store::table::{response_cache, settings};
use store::{Durability, StoreError};

pub(crate) async fn apply(
    shared: &Arc<Shared>,
    id: RequestId,
    command: Command,
) -> Result<Reply, Fault> {
    // Somebody may paste a key where it does not belong.
    let command = keys::without_keys(shared, command).await;
    match command {
        Command::Post { group, text, reply_to, attachments } => {
            shared.finder.want();
            let said = post::Said { group, text, reply_to, attachments };
            post::post(shared, id, said).await.map(Reply::Message)
        }
        Command::EditMessage { message, text, attachments } => {
            shared.finder.want();
            branches::edit(shared, id, message, text, attachments).await.map(Reply::Message)
        }
        Command::AnswerAgain { message } => done(branches::answer_again(shared, message).await),
        Command::ShowBranch { message } => done(branches::show(shared, message).await),
        Command::Fork { message, name } => {
            branches::fork(shared, id, message, name).await.map(Reply::Group)
        }
        Command::ForgetMessage { message } => {
            forgetting::forget(shared, message).await.map(Reply::Message)
        }
        Command::React { item, sign, on } => done(reactions::react(shared, item, sign, on).await),
        Command::SaveDraft { group, written, keep, drop } => {
            // Who is still writing asks in a moment, and what fits is looked up then.
            shared.finder.want();
            let change = drafts::Change { group, written, keep, drop };
            drafts::save(shared, change).await.map(Reply::Draft)
        }
        Command::PostUnsent { group, unsent } => {
            drafts::post(shared, group, unsent).await.map(Reply::Message)
        }
        Command::Attach { name, base64 } => {
            attachments::keep(shared, name, base64).await.map(Reply::Attachment)
        }
        Command::NewGroup { name, members, policy } => {
            groups::create(shared, id, name, members, policy).await.map(Reply::Group)
        }
        Command::NewGroupFrom { template, name } => {
            let group = groups::create_from(shared, id, &template, name).await?;
            skills::tell(shared);
            Ok(Reply::Group(group))
        }
        Command::EditGroup { group, patch } => {
            groups::edit(shared, group, patch).await.map(Reply::Group)
        }
        Command::ExportGroup { group, path, format } => {
            groups::export(shared, group, path, format).await.map(Reply::GroupExport)
        }
        Command::AddMember { group, agent, sees } => {
            groups::add_member(shared, group, agent, sees).await.map(Reply::Group)
        }
        Command::RemoveMember { group, agent } => {
            groups::remove_member(shared, group, agent).await.map(Reply::Group)
        }
        Command::BringBack { group, agent } => {
            groups::bring_back(shared, group, agent).await.map(Reply::Group)
        }
        Command::EditMember { group, agent, patch } => {
            groups::edit_member(shared, group, agent, patch).await.map(Reply::Group)
        }
        Command::MarkRead { group, seq } => done(groups::mark_read(shared, group, seq).await),
        Command::SpeakNow { group, agent } => done(groups::speak_now(shared, group, agent).await),
        Command::Stop { target } => stop::at_a_word(shared, target).await.map(|()| Reply::Done),

        Command::NewCommunity { name, rules, members } => {
            feed::new_community(shared, id, name, rules, members).await.map(Reply::Community)
        }
        Command::EditCommunity { community, patch } => {
            feed::edit_community(shared, community, patch).await.map(Reply::Community)
        }
        Command::WritePost { community, text } => {
            shared.finder.want();
            feed::write_post(shared, id, community, text).await.map(post_view)
        }
        Command::AskForPost { community, agent } => {
            feed::ask_for_post(shared, id, community, agent).await.map(post_view)
        }
        Command::Comment { to, text } => {
            shared.finder.want();
            feed::comment(shared, id, to, text).await.map(Reply::Message)
        }
        Command::Moderate { item, how, why } => done(feed::moderate(shared, item, how, why).await),
        Command::Tick => feed::tick(shared).await.map(Reply::Ticked),
        Command::TurnOnFeed { every_minutes, tokens_a_day, microusd_a_day } => {
            feed::turn_on(shared, every_minutes, tokens_a_day, microusd_a_day)
                .await
                .map(Reply::Settings)
        }
        Command::TurnOffFeed => feed::turn_off(shared).await.map(Reply::Settings),
        Command::RetryFeedEvent { event } => done(feed::retry(shared, event).await),

        Command::NewSchedule { plan } => {
            let by = schedules::By { id: ScheduleId(id.0), who: Participant::User };
            schedules::new(shared, by, plan).await.map(schedule)
        }
        Command::EditSchedule { schedule: id, plan } => {
            schedules::edit(shared, id, plan).await.map(schedule)
        }
        Command::PauseSchedule { schedule: id, paused } => {
            schedules::pause(shared, id, paused).await.map(schedule)
        }
        Command::RemoveSchedule { schedule } => done(schedules::remove(shared, schedule).await),
        Command::RunSchedule { schedule } => {
            schedules::run_now(shared, id, schedule).await.map(Reply::Message)
        }
        Command::NewSource { plan } => sources::new(shared, id, plan).await.map(source),
        Command::SwitchSource { source: id, on } => {
            sources::switch(shared, id, on).await.map(source)
        }
        Command::RemoveSource { source: id } => sources::remove(shared, id).await.map(source),
        Command::AskForDigest { agent } => {
            schedules::ask_for_digest(shared, id, agent).await.map(Reply::Message)
        }
        Command::PauseAll => lifecycle::pause_all(shared).await.map(Reply::Settings),
        Command::ResumeAll => lifecycle::resume_all(shared).await.map(Reply::Settings),

        Command::NewAgent { soul, name, model, parent } => {
            let agent = lifecycle::create(shared, id, soul, name, model, parent).await?;
            skills::tell(shared);
            Ok(Reply::Agent(agent))
        }
        Command::PauseAgent { agent } => lifecycle::pause(shared, agent).await.map(Reply::Agent),
        Command::ResumeAgent { agent } => {
            // A person says that it is time to try again.
            shared.circuits.give_a_chance();
            lifecycle::resume(shared, agent).await.map(Reply::Agent)
        }
        Command::TerminateAgent { agent } => {
            let agent = lifecycle::terminate(shared, agent).await?;
            skills::tell(shared);
            Ok(Reply::Agent(agent))
        }
        Command::SetAgentModel { agent, model } => {
            lifecycle::set_model(shared, agent, model).await.map(Reply::Agent)
        }

        Command::AnswerApproval { call, binding, consent, covers } => {
            let answered = approvals::answer(shared, call, binding, consent, covers).await?;
            Ok(Reply::Approval(Box::new(answered)))
        }
        Command::AnswerQuestion { question, answer } => {
            let answered = questions::answer(shared, question, answer).await?;
            Ok(Reply::Question(Box::new(answered)))
        }
        Command::RevokeGrant { grant } => done(approvals::revoke(shared, grant).await),

        Command::ResumeRun { run } => {
            shared.circuits.give_a_chance();
            recover::resume(shared, run).await.map(Reply::Run)
        }
        Command::DropRun { run } => recover::give_up(shared, run).await.map(Reply::Run),

        Command::RunOnce { agent, dialog } => {
            once::run(shared, id, agent, dialog).await.map(|told| Reply::RunOnce(Box::new(told)))
        }

        Command::SetBudget { budget } => done(budget::set(shared, budget).await),
        Command::ResetBudget { scope } => done(budget::reset(shared, scope).await),

        Command::SaveSoul { soul, text, base_hash } => {
            keeper::save(shared, soul, text, base_hash, SoulSource::Editor).await.map(Reply::Soul)
        }
        Command::DraftSoul { name, sentence } => {
            let draft = new_soul::draft(shared, id, name, sentence).await?;
            Ok(Reply::SoulDraft(Box::new(draft)))
        }
        Command::RollBackSoul { soul, version } => {
            keeper::roll_back(shared, soul, version).await.map(Reply::Soul)
        }
        Command::RenameSoul { soul, to } => {
            keeper::rename_soul(shared, soul, to).await.map(Reply::Soul)
        }
        Command::DeleteSoul { soul } => keeper::delete(shared, soul).await.map(Reply::Soul),
        Command::BringBackSoul { soul } => keeper::bring_back(shared, soul).await.map(Reply::Soul),
        Command::ApproveProposal { proposal } => {
            proposals::approve(shared, proposal).await.map(Reply::Soul)
        }
        Command::DeclineProposal { proposal } => done(proposals::decline(shared, proposal).await),

        Command::AddMemory { .. }
        | Command::EditMemory { .. }
        | Command::PinMemory { .. }
        | Command::JudgeMemory { .. }
        | Command::MergeMemories { .. }
        | Command::ForgetMemory { .. }
        | Command::UndoMemory { .. } => memory::apply(shared, id, command).await,
        Command::ImportMemories { path, format, scope, vouched, preview } => {
            let wanted = memory::Wanted { path, format, scope, vouched };
            let told = if preview {
                memory::preview(shared, wanted).await
            } else {
                memory::import(shared, wanted).await
            };
            told.map(|told| Reply::MemoryImport(Box::new(told)))
        }
        Command::DropImport { path } => done(memory::drop_import(shared, path).await),
        Command::ExportMemories { path, format, filter } => {
            memory::export(shared, path, format, filter).await.map(Reply::MemoryExport)
        }
        Command::ConsolidateMemories { preview } => memory::consolidate_now(shared, preview)
            .await
            .map(|done| Reply::Consolidated(Box::new(done))),
        Command::RebuildMemoryIndex => done(memory::rebuild(shared).await),

        Command::BackUp { path } => backup::back_up(shared, path).await.map(Reply::Backup),
        Command::Restore { path } => backup::stage(shared, path).await.map(Reply::Restore),
        Command::LookThroughBackup { path } => {
            backup::look_through(shared, path).await.map(Reply::Restore)
        }
        Command::RestoreLookedThrough => done(backup::restore_looked_through(shared).await),
        Command::ForgetRestore => done(backup::forget(shared).await),
        Command::TakeIn { path, vouched, preview, looked_through } => {
            let wanted = backup::WantedBackup { path, vouched, preview, looked_through };
            backup::take_in(shared, wanted).await.map(Reply::TakenIn)
        }

        Command::SaveProvider { provider, key, replaces } => {
            let replaces = replaces.map(|known| *known);
            serving::save(shared, provider, key, replaces).await.map(Reply::Provider)
        }
        Command::RemoveProvider { provider } => done(serving::remove(shared, provider).await),
        Command::AddModelFile { path } => own::add(shared, path).await.map(Reply::LocalModel),
        Command::RemoveModelFile { path } => done(own::remove(shared, path).await),
        Command::SetModelWindow { model, tokens } => {
            windows::set(shared, model, tokens).await.map(Reply::Provider)
        }
        Command::ForgetAnswers => forget_answers(shared).await.map(Reply::Forgotten),
        Command::UseModel { role, model } => {
            use_model(shared, role, model).await.map(Reply::Settings)
        }
        Command::ChangeSettings { patch } => {
            change_settings(shared, patch).await.map(Reply::Settings)
        }

        Command::PutServer { setup, values, replaces } => {
            server(servers::put(shared, setup, values, replaces).await)
        }
        Command::ImportServers { text, preview } => servers::import(shared, &text, preview)
            .await
            .map(|import| Reply::ServersImported(Box::new(import))),
        Command::EditServer { server: name, patch } => {
            server(servers::edit(shared, name, patch).await)
        }
        Command::ReloadServer { server: name, sign_in } => {
            server(servers::reload(shared, name, sign_in).await)
        }
        Command::AttachResource { server, uri } => {
            Box::pin(servers::attach(shared, &server, &uri)).await.map(Reply::Attachment)
        }
        Command::FillPrompt { server, prompt, arguments } => {
            let filling = Box::pin(servers::fill(shared, &server, &prompt, arguments));
            filling.await.map(Reply::FilledPrompt)
        }
        Command::RemoveServer { server, forget } => {
            done(servers::remove(shared, server, forget).await)
        }

        Command::PutPass { rights } => {
            outside::put(shared, id, rights).await.map(|pass| Reply::Pass(Box::new(pass)))
        }
        Command::RevokePass { pass } => {
            outside::revoke(shared, pass).await.map(|pass| Reply::Pass(Box::new(pass)))
        }
        Command::FromOutside { pass, wanted } => {
            outside::answer(shared, id, pass, wanted).await.map(Reply::Outside)
        }

        Command::AddSkill { path } => {
            skills::add(shared, path).await.map(|skill| Reply::Skill(Box::new(skill)))
        }
        Command::RemoveSkill { skill } => done(skills::remove(shared, skill).await),

        Command::SetKey { name, value } => {
            keys::set(shared, name, &value).await?;
            given(shared).await?;
            keys::all(shared).map(Reply::Keys)
        }
        Command::UseVariable { name, variable } => {
            keys::use_variable(shared, name, variable).await?;
            given(shared).await?;
            keys::all(shared).map(Reply::Keys)
        }
        Command::RemoveKey { name, forget } => {
            keys::remove(shared, name, forget).await?;
            keys::all(shared).map(Reply::Keys)
        }
        Command::MoveKeys { to } => {
            keys::move_to(shared, to).await?;
            given(shared).await?;
            keys::all(shared).map(Reply::Keys)
        }
        Command::SealKeys { passphrase } => {
            keys::seal(shared, &passphrase).await?;
            keys::all(shared).map(Reply::Keys)
        }
        Command::UnlockKeys { passphrase } => {
            keys::unlock(shared, &passphrase).await?;
            given(shared).await?;
            keys::all(shared).map(Reply::Keys)
        }
        Command::LockKeys => {
            keys::lock(shared).await?;
            keys::all(shared).map(Reply::Keys)
        }
        Command::ChangePassphrase { old, new } => {
            keys::change_passphrase(shared, &old, &new).await?;
            keys::all(shared).map(Reply::Keys)
        }
    }
}

/// Keys are there that were not: who stopped without one tries again.
async fn given(shared: &Arc<Shared>) -> Result<(), Fault> {
    servers::try_again(shared).await;
    memory::take_up(shared).await
}

fn source(source: FeedSource) -> Reply {
    Reply::Source(Box::new(source))
}

fn schedule(schedule: Schedule) -> Reply {
    Reply::Schedule(Box::new(schedule))
}

fn post_view(view: PostView) -> Reply {
    Reply::Post(Box::new(view))
}

fn server(result: Result<McpServer, Fault>) -> Result<Reply, Fault> {
    result.map(|server| Reply::Server(Box::new(server)))
}

fn done(result: Result<(), Fault>) -> Result<Reply, Fault> {
    result.map(|()| Reply::Done)
}

async fn forget_answers(shared: &Shared) -> Result<u32, Fault> {
    let forget = |write: &mut store::Write<'_>| {
        response_cache::forget(write, response_cache::MadeOf::Anything)
    };
    let forgotten: Result<usize, StoreError> =
        shared.store.write(Durability::Process, forget).await;
    Ok(u32::try_from(forgotten?).unwrap_or(u32::MAX))
}

async fn use_model(
    shared: &Arc<Shared>,
    role: ModelRole,
    model: String,
) -> Result<Settings, Fault> {
    let (now, with) = (shared.now_ms(), shared.clone());
    let measured = match role {
        ModelRole::Embedding => Some(memory::measured(shared, &model).await?),
        ModelRole::Default | ModelRole::Fast | ModelRole::Reasoning | ModelRole::Fallback => None,
    };
    let (settings, resumed) = shared
        .store
        .write(Durability::Process, move |write| {
            let stopped = another_model::stopped(write, &with)?;
            if let Some(measured) = measured {
                memory::keep(write, &with, &measured)?;
            }
            Served::find(write, &model)
                .map_err(|fault| Fault { code: FaultCode::NotFound, ..fault })?;
            let mut settings = settings::to_change(write)?;
            *serving(&mut settings.models, role) = Some(model);
            settings::put(write, &settings)?;
            let resumed = another_model::resume(write, &with, stopped, now)?;
            Ok::<_, Fault>((settings, resumed))
        })
        .await?;
    shared.wake(&resumed);
    memory::take_up(shared).await?;
    Ok(settings)
}

fn serving(models: &mut ModelChoice, role: ModelRole) -> &mut Option<String> {
    match role {
        ModelRole::Default => &mut models.default,
        ModelRole::Fast => &mut models.fast,
        ModelRole::Reasoning => &mut models.reasoning,
        ModelRole::Embedding => &mut models.embedding,
        ModelRole::Fallback => &mut models.fallback,
    }
}

async fn change_settings(shared: &Arc<Shared>, patch: SettingsPatch) -> Result<Settings, Fault> {
    let (now, with, tools) = (shared.now_ms(), shared.clone(), shared.tools());
    let may_compare_otherwise = patch.no_model_for == Some(ModelRole::Embedding);
    let (settings, resumed) = shared
        .store
        .write(Durability::Process, move |write| {
            let stopped = match &patch.no_model_for {
                Some(_) => another_model::stopped(write, &with)?,
                None => Vec::new(),
            };
            let mut settings = settings::to_change(write)?;
            if let Some(name) = patch.your_name {
                if name != settings.your_name && !name.is_empty() {
                    lifecycle::check_your_name(write, &name)?;
                }
                settings.your_name = name;
            }
            settings.appearance = patch.appearance.unwrap_or(settings.appearance);
            if let Some(role) = patch.no_model_for {
                *serving(&mut settings.models, role) = None;
            }
            settings.limits = patch.limits.unwrap_or(settings.limits);
            if let Some(change) = patch.price {
                prices::change(&mut settings.prices, change, now)?;
            }
            if let Some(approvals) = patch.approvals {
                check_hosts(&approvals.near_hosts, &settings.approvals.near_hosts)?;
                for group in approvals.blocked.iter().filter_map(|one| one.group) {
                    store::table::groups::get(write, group)?;
                }
                settings.approvals = approvals;
            }
            settings.manners = patch.manners.unwrap_or(settings.manners);
            settings.response_cache = patch.response_cache.unwrap_or(settings.response_cache);
            if let Some(rules) = patch.feed {
                settings.feed = FeedRules { on: settings.feed.on, ..rules };
            }
            let noticed = settings.memory.notices;
            settings.memory = patch.memory.unwrap_or(settings.memory);
            if settings.memory.notices && !noticed {
                memory::begin_to_notice(write)?;
            }
            check_settings(&settings)?;
            settings::put(write, &settings)?;
            approvals::deny_blocked(write, &tools, now)?;
            let resumed = another_model::resume(write, &with, stopped, now)?;
            Ok::<_, Fault>((settings, resumed))
        })
        .await?;
    shared.wake(&resumed);
    shared.queue.allow(settings.limits.max_concurrent);
    if may_compare_otherwise {
        memory::take_up(shared).await?;
    }
    Ok(settings)
}

/// Those that are new, so that one of before holds up no other change.
fn check_hosts(near: &[String], before: &[String]) -> Result<(), Fault> {
    let is_wrong = |near: &&String| !before.contains(near) && !tools::names_a_host(near);
    match near.iter().find(is_wrong) {
        None => Ok(()),
        Some(near) => Err(Fault::new(
            FaultCode::BadInput,
            format!("{near:?} is the name of no host"),
            "give one host as addresses have it, with a port or without: nas, nas:8080, 192.168.1.7, [::1]",
        )),
    }
}

fn check_settings(settings: &Settings) -> Result<(), Fault> {
    let refused = |message: &str, fix: &str| Err(Fault::new(FaultCode::BadInput, message, fix));
    if settings.your_name.chars().any(char::is_control) || settings.your_name.chars().count() > 64 {
        return refused("your name goes on one line of at most 64 characters", "shorten it");
    }
    if !Appearance::ZOOMS.contains(&settings.appearance.zoom_percent) {
        return refused(
            "everything is drawn at 80, 90, 100, 110, 125, 150, 175 or 200 percent of its size",
            "choose one of these",
        );
    }
    if !(1..=64).contains(&settings.limits.max_concurrent) {
        return refused("model calls at the same time go from 1 to 64", "choose one of these");
    }
    let FeedRules { every_minutes, answers_per_item, per_hour, rest_minutes, .. } = &settings.feed;
    if !(1..=1440).contains(every_minutes)
        || !(1..=50).contains(answers_per_item)
        || !(1..=1_000_000).contains(per_hour)
        || *rest_minutes > 1440
    {
        return refused(
            "a tick comes every 1 to 1,440 minutes, an item has 1 to 50 answers, an agent is given \
             1 to 1,000,000 things within an hour and rests up to 1,440 minutes",
            "choose one of these",
        );
    }
    let Approvals { minutes, notifies: _, blocked, near_hosts: _ } = &settings.approvals;
    if !(1..=1440).contains(minutes) {
        return refused("a question waits from 1 to 1,440 minutes", "choose one of these");
    }
    let empty = |text: &String| text.trim().is_empty();
    if blocked.iter().any(|one| empty(&one.tool) || empty(&one.pattern)) {
        return refused(
            "what is blocked has to say what",
            "give a tool and a pattern; * stands for all",
        );
    }
    if !(1..=1_000_000).contains(&settings.limits.message_characters) {
        return refused(
            "the longest message goes from 1 to 1,000,000 characters",
            "choose one of these",
        );
    }
    Ok(())
}
