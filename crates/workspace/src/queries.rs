//! Answers to questions: looks at one moment of the database.

use crate::budget::Left;
use crate::derived::blocking;
use crate::estimate::Ahead;
use crate::models::priced;
use crate::shared::Shared;
use crate::turn_policy::Heard;
use crate::{
    approvals, attachments, branches, budget, capabilities, doctor, estimate, everywhere, feed,
    forgetting, groups, keeper, keys, limits, memory, models, named, questions, replay, schedules,
    servers, serving, skills, souls, sources, stand, tokens, turns,
};
use domain::{
    AgentDetail, AgentId, AgentState, Author, Fault, GroupId, GroupKind, LeftAlone, MessageId,
    Overview, Prompt, Provider, Query, Reply, RunDetail, Verdict, WouldWake,
};
use std::sync::Arc;
use store::table::{
    agents, communities, decisions, drafts, feed_sources, grants, groups as group_table, members,
    messages, passes, posts, providers, reactions, requests, runs, settings, soul_proposals,
    souls as soul_table, steps, transitions, usage,
};
use store::{Read, StoreError};

/// The longest page that is given, whatever is asked for.
const LONGEST_PAGE: u32 = 500;
const TRANSITIONS: u32 = 50;

pub(crate) async fn answer(shared: &Arc<Shared>, query: Query) -> Result<Reply, Fault> {
    let store = &shared.store;
    match query {
        Query::Overview => overview(shared).map(|overview| Reply::Overview(Box::new(overview))),
        Query::Messages { group, before, limit } => store.read(|read| {
            group_table::get(read, group)?;
            Ok(Reply::Messages(messages::page(read, group, 0, before, limit.min(LONGEST_PAGE))?))
        }),
        Query::Message { message } => store.read(|read| {
            let found = messages::find(read, message)?;
            found
                .map(Reply::Message)
                .ok_or_else(|| StoreError::NotFound(format!("message {message}")).into())
        }),
        Query::Occurrences { group, text, limit } => {
            blocking(shared, move |shared| groups::find(shared, group, &text, limit))
                .await
                .map(Reply::Occurrences)
        }
        Query::Attachment { hash } => {
            attachments::content(shared, hash).await.map(Reply::AttachmentContent)
        }
        Query::Decisions { group, message, limit } => decided(shared, group, message, limit),
        Query::Agent { agent } => agent_detail(shared, agent),
        Query::Agents => store.read(|read| Ok(Reply::Agents(agents::all(read)?))),
        Query::LastRuns => store.read(|read| Ok(Reply::Runs(runs::last(read)?))),
        Query::Runs { filter, before, limit } => store.read(|read| {
            Ok(Reply::Runs(runs::page(read, &filter, before, limit.min(LONGEST_PAGE))?))
        }),
        Query::Run { run } => store.read(|read| {
            let found = runs::get(read, run)?;
            let context = runs::context(read, run)?;
            let steps = steps::of_run(read, run)?;
            Ok(Reply::RunDetail(Box::new(RunDetail {
                calls: usage::calls_of_run(read, run)?,
                sent: requests::of_run(read, run)?,
                decisions: decisions::about(read, found.cause.message)?,
                run: found,
                context,
                steps,
            })))
        }),
        Query::SentRequest { run, n } => store.read(|read| {
            runs::get(read, run)?;
            let found = requests::find(read, run, n)?;
            found.map(|request| Reply::SentRequest(Box::new(request))).ok_or_else(|| {
                Fault::not_found(
                    format!("run {run} has no request {n} on record"),
                    format!("coterie run show {run} says how many it has sent"),
                )
            })
        }),
        Query::Replay { run } => Ok(Reply::Replayed(Box::new(replay::replay(shared, run).await?))),
        Query::Approvals { limit } => store.read(|read| {
            let newest = store::table::approvals::newest(read, limit.min(LONGEST_PAGE))?;
            Ok(Reply::Approvals(newest))
        }),
        Query::Variants { group } => {
            store.read(|read| Ok(Reply::Variants(branches::variants(read, group)?)))
        }
        Query::GroupTemplates => Ok(Reply::GroupTemplates(groups::templates(shared).await?)),
        Query::Forgetting { message } => {
            Ok(Reply::Forgetting(Box::new(forgetting::look(shared, message)?)))
        }
        Query::Reactions { group } => {
            store.read(|read| Ok(Reply::Reactions(reactions::of_group(read, group)?)))
        }
        Query::Questions { limit } => store.read(|read| {
            let newest = store::table::questions::newest(read, limit.min(LONGEST_PAGE))?;
            Ok(Reply::Questions(newest))
        }),
        Query::Grants => store.read(|read| Ok(Reply::Grants(grants::all(read)?))),
        Query::Passes => store.read(|read| Ok(Reply::Passes(passes::all(read)?))),
        Query::Soul { soul } => keeper::detail(shared, &soul).map(Reply::SoulDetail),
        Query::SoulVersion { soul, version } => store.read(|read| {
            let found = soul_table::version(read, &soul, version)?;
            found.map(Reply::SoulVersion).ok_or_else(|| {
                Fault::not_found(
                    format!("soul {soul} has no version {version}"),
                    format!("coterie soul history {soul} lists its versions"),
                )
            })
        }),
        Query::CheckSoul { soul, text } => {
            named::check(shared, &soul, &text).map(Reply::SoulChecked)
        }
        Query::ReadCard { files } => {
            let read = move |_: &Shared| souls::read_card(&files);
            Ok(Reply::SoulCard(Box::new(blocking(shared, read).await?)))
        }
        Query::Prompt { agent, group, soul } => prompt(shared, agent, group, soul.as_deref()),
        Query::WouldWake { group, text, reply_to } => would_wake(shared, group, &text, reply_to),
        Query::ModelsOf { provider, key } => {
            serving::check(&provider, shared.safe.redactor())?;
            let listed = keys::models_of(shared, provider.clone(), key).await?;
            priced::follow(shared, &provider).await?;
            Ok(Reply::Models(listed))
        }
        Query::Memories { filter, before, limit } => {
            memory::page(shared, filter, before, limit).map(Reply::Memories)
        }
        Query::SearchMemories { text, filter, limit, min_score, at_once } => {
            memory::search(shared, text, filter, limit, min_score, at_once)
                .await
                .map(Reply::FoundMemories)
        }
        Query::Memory { memory } => {
            memory::detail(shared, memory).map(|detail| Reply::MemoryDetail(Box::new(detail)))
        }
        Query::MemoryIndex => memory::index(shared).await.map(Reply::MemoryIndex),
        Query::Search { search } => everywhere::search(shared, search).await.map(Reply::Found),
        Query::Communities => store.read(|read| Ok(Reply::Communities(communities::all(read)?))),
        Query::Feed { filter, before, limit } => {
            feed::page(shared, &filter, before, limit.min(LONGEST_PAGE)).map(Reply::Posts)
        }
        Query::Thread { post } => {
            feed::thread(shared, post).map(|thread| Reply::Thread(Box::new(thread)))
        }
        Query::FeedItem { seq } => feed::by_number(shared, seq).map(Reply::Message),
        Query::WouldAnswer { place, text } => {
            feed::would_answer(shared, place, text).await.map(Reply::WouldAnswer)
        }
        Query::FeedQueue => feed::queue(shared).map(Reply::FeedQueue),
        Query::FeedActivity { community, since_ms } => {
            let days = store.read(|read| posts::activity(read, community, since_ms))?;
            Ok(Reply::FeedActivity(days))
        }
        Query::Schedules => schedules::all(shared).map(Reply::Schedules),
        Query::Sources => sources::all(shared).map(Reply::Sources),
        Query::ReadTimes { words, zone, hours } => {
            schedules::read_times(shared, &words, &zone, hours).map(Reply::ReadTimes)
        }
        Query::Budgets => budget::all(shared).map(Reply::Budgets),
        Query::Usage { by, since_ms } => {
            shared.store.read(|read| Ok(Reply::Usage(usage::sums(read, by, since_ms)?)))
        }
        Query::VectorModels => {
            let all = store.read(providers::all)?;
            Ok(Reply::VectorModels(keys::vector_models(shared, all).await))
        }
        Query::LocalModels => models::own::all(shared).await.map(Reply::LocalModels),
        Query::Presets => Ok(Reply::Presets(llm::presets())),
        Query::Keys { check: true } => keys::check(shared).await.map(Reply::Keys),
        Query::Keys { check: false } => keys::all(shared).map(Reply::Keys),
        Query::LeftAlone => left_alone(shared).map(Reply::LeftAlone),
        Query::Discover => Ok(Reply::Offers(new_offers(shared).await?)),
        Query::Servers => Box::pin(servers::looked_at(shared)).await.map(Reply::Servers),
        Query::ServerOffers { server } => {
            let offers = Box::pin(servers::offers(shared, &server)).await?;
            Ok(Reply::ServerOffers(Box::new(offers)))
        }
        Query::ServerLog { server } => servers::log(shared, &server).map(Reply::Lines),
        Query::Skills => skills::all(shared).map(Reply::Skills),
        Query::Skill { skill } => {
            skills::detail(shared, &skill).map(|detail| Reply::SkillDetail(Box::new(detail)))
        }
        Query::Capabilities { agent } => {
            capabilities::of(shared, agent).map(|all| Reply::Capabilities(Box::new(all)))
        }
        Query::Replaced { call } => approvals::replaced(shared, call).await.map(Reply::Replaced),
        Query::Doctor => Ok(Reply::Checks(doctor::checks(shared).await)),
    }
}

fn overview(shared: &Arc<Shared>) -> Result<Overview, Fault> {
    // Before the look: an event that is told twice is harmless, one that is
    // missed is not.
    let mark = shared.events.mark();
    let servers = servers::all(shared)?;
    let skills = skills::all(shared)?;
    let known = named::Known::of(shared)?;
    shared.store.read(|read| {
        // A task that has ended is looked up by its run, and so is who had it.
        let mut agents = agents::all(read)?;
        agents.retain(|agent| agent.state != AgentState::Terminated || agent.parent.is_none());
        let mut groups = group_table::all(read)?;
        groups.retain(|group| match group.kind {
            GroupKind::Direct | GroupKind::Group => true,
            GroupKind::Task => !group.archived,
            // The feed has its own list.
            GroupKind::Post => false,
        });
        let groups = groups.into_iter().map(|group| groups::view(read, group));
        let mut providers = providers::all(read)?;
        if !providers.iter().any(|provider| provider.name == models::LOCAL) {
            providers.insert(0, models::local_provider());
        }
        let keys = shared.safe.all(&providers);
        Ok(Overview {
            mark,
            settings: settings::to_change(read)?,
            agents,
            groups: groups.collect::<Result<_, _>>()?,
            souls: soul_table::all(read)?
                .into_iter()
                .map(|soul| known.looked_up(shared, soul))
                .collect(),
            providers,
            open_runs: runs::open(read)?,
            waiting: shared.events.waiting(),
            starter_model: shared
                .places
                .starter_model()
                .exists()
                .then(|| models::STARTER.to_owned()),
            data_dir: shared.places.data.display().to_string(),
            keys,
            drafts: drafts::all(read)?,
            approvals: approvals::waiting(read, shared.now_ms())?,
            questions: questions::waiting(read, shared.now_ms())?,
            grants: grants::all(read)?,
            passes: passes::all(read)?,
            sources: feed_sources::all(read)?,
            proposals: soul_proposals::waiting(read)?,
            servers: servers.clone(),
            skills: skills.clone(),
            held_up: shared.held_up.why(),
        })
    })
}

fn decided(
    shared: &Shared,
    group: GroupId,
    message: Option<MessageId>,
    limit: u32,
) -> Result<Reply, Fault> {
    shared.store.read(|read| {
        group_table::get(read, group)?;
        let decisions = match message {
            Some(message) => decisions::about(read, message)?,
            None => decisions::of_group(read, group, limit.min(LONGEST_PAGE))?,
        };
        Ok(Reply::Decisions(decisions))
    })
}

fn agent_detail(shared: &Shared, agent: AgentId) -> Result<Reply, Fault> {
    shared.store.read(|read| {
        Ok(Reply::AgentDetail(AgentDetail {
            agent: agents::get(read, agent)?,
            groups: groups_of(read, agent)?,
            transitions: transitions::newest(read, agent, TRANSITIONS)?,
        }))
    })
}

/// Where it speaks; what it had others do, and they had it do, is over with the task.
fn groups_of(read: &Read<'_>, agent: AgentId) -> Result<Vec<GroupId>, StoreError> {
    let mut groups = Vec::new();
    for id in members::groups_of(read, agent)? {
        if group_table::get(read, id)?.kind != GroupKind::Task {
            groups.push(id);
        }
    }
    Ok(groups)
}

/// With the text that is given in the place of its soul, if there is one.
fn prompt(
    shared: &Shared,
    agent: AgentId,
    group: GroupId,
    soul: Option<&str>,
) -> Result<Reply, Fault> {
    shared.store.read(|read| {
        let (mut agent, group) = (agents::get(read, agent)?, group_table::get(read, group)?);
        let soul = match soul {
            Some(text) => keeper::try_on(read, shared, &mut agent, text)?,
            None => shared.souls.worn(&agent),
        };
        let text = stand::system_prompt(read, shared, &agent, &group, &soul)?;
        let tokens = tokens::of(&text);
        Ok(Reply::Prompt(Prompt { text, tokens }))
    })
}

fn would_wake(
    shared: &Shared,
    group: GroupId,
    text: &str,
    reply_to: Option<MessageId>,
) -> Result<Reply, Fault> {
    shared.store.read(|read| {
        let group = group_table::get(read, group)?;
        let seats = turns::seats(read, &group)?;
        let answers = turns::author_of(read, reply_to)?;
        let heard = Heard { author: Author::User, text, answers, depth: 0 };
        let mut rulings = turns::rule(read, &group, &seats, heard, None)?;
        let left = Left::of(read, group.id, None, shared.now_ms())?;
        let hands_on = estimate::hands_on(&rulings);
        let ahead = match hands_on {
            true => estimate::until_quiet(read, shared, &group, &seats, &rulings, text, left)?,
            false => estimate::first_answers(read, shared, &group, &mut rulings, text, left)?,
        };
        let Ahead { tokens_at_most, microusd_at_most, beyond, over } = ahead;
        let speakers = rulings.into_iter().filter(|ruling| ruling.verdict == Verdict::Speak);
        let agents: Vec<AgentId> = speakers.map(|ruling| ruling.agent).collect();
        let messages_at_most = limits::messages_per_post(&group.caps, group.policy, seats.len());
        Ok(Reply::WouldWake(WouldWake {
            agents,
            messages_at_most,
            hands_on,
            tokens_at_most,
            microusd_at_most,
            beyond,
            over,
        }))
    })
}

fn left_alone(shared: &Shared) -> Result<Vec<LeftAlone>, Fault> {
    let known = shared.store.read(|read| Ok::<_, Fault>(providers::all(read)?))?;
    let left = known.into_iter().filter_map(|provider| {
        let left = shared.circuits.left_alone(&provider.name)?;
        let for_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        Some(LeftAlone { provider: provider.name, for_ms })
    });
    Ok(left.collect())
}

/// Model servers on this machine that are not set up yet.
async fn new_offers(shared: &Shared) -> Result<Vec<domain::Offer>, Fault> {
    let known = shared.store.read(|read| Ok::<_, Fault>(providers::all(read)?))?;
    let mut offers = shared.models.discover().await;
    offers.retain(|offer| !known.iter().any(|provider| is_same_server(provider, offer)));
    Ok(offers)
}

/// Ollama has a second door at the same address.
fn is_same_server(provider: &Provider, offer: &domain::Offer) -> bool {
    let root = |address: &str| {
        let root = address.trim_end_matches('/').trim_end_matches("/v1");
        root.replacen("://localhost", "://127.0.0.1", 1).replacen("://[::1]", "://127.0.0.1", 1)
    };
    provider.base_url.as_deref().map(root) == Some(root(&offer.base_url))
}
