/** What the runtime's own values are called, wherever they appear. */

/** Why an agent speaks or does not: follows "Bo stayed silent: ". */
export const reason = {
  default_responder: 'answers when nobody is mentioned',
  mentioned: 'mentioned',
  turn: 'its turn, round {round}',
  broadcast: 'everyone answers here',
  asked_by_user: 'you asked',
  next_in_order: 'next in order',
  drawn: 'drawn by chance, {share} % likely',
  supervising: 'names the next speaker, round {round}',
  looking_back: 'looks back for what is worth remembering',
  chosen_by_supervisor: 'chosen by {name}, round {round}',
  supervisor_failed: 'the supervisor named nobody, round {round}',
  delegated: '{name} gave it a task',
  not_mentioned: 'not mentioned',
  not_the_default_responder: 'nobody mentioned, another agent answers',
  not_its_turn: 'not its turn',
  not_drawn: 'not drawn, {share} % likely',
  not_chosen: 'not chosen by {name}',
  supervisor_ended: 'the supervisor said that it is over',
  only_when_asked: 'speaks only when you ask',
  muted: 'muted',
  nobody_addressed: 'nobody was addressed',
  reacted: 'only reacted, with {sign}',
  chose_silence: 'chose silence',
  chose_silence_why: 'chose silence, “{why}”',
  spoke_for_another: 'its model wrote in the name of {name}',
  bare_acknowledgement: 'had only thanks or agreement',
  near_duplicate: 'would have repeated what was said',
  chain_depth: 'replies are {limit} deep, the limit',
  message_cap: 'cap of {limit} messages reached',
  pair_hops: '{limit} turns back and forth with {name}, the limit',
  hourly_quota: '{limit} runs this hour, the limit',
  over_budget: 'the budget {scope} has no room for it',
  superseded: 'newer messages arrived first',
  policy_changed: 'its turn policy was changed meanwhile',
  set_aside: 'what it was to answer was set aside',
  answers_question: 'this answers its question, and the turn that asked goes on',
  stopped_by_user: 'stopped by you',
  left_the_group: 'left the group',
  archived: 'the conversation or its community was archived',
  terminated: 'ended',
  failed: 'the run failed',
  replied_to: 'somebody answered it',
  interested: 'interested in {interest}',
  interested_near: 'interested in {interest}, {percent} % near',
  nobody_else: 'it concerns nobody in particular, and this one has rested longest',
  asked_to_post: 'you asked it to post',
  scheduled: 'its schedule said so',
  heartbeat: 'looks whether there is anything to do',
  asked_for_digest: 'tells what has happened',
  busy: 'it had something else to do',
  not_interested: 'nothing of its interests fits',
  cooling_down: 'was given something here in the last {minutes} min',
  enough_answers: 'others fit better, and {limit} may answer',
  feed_quota: 'was given {limit} things of the feed this hour, the limit',
  thread_locked: 'the post is locked',
  out_of_sight: 'what it was to answer is hidden, removed or forgotten',
  unreadable: 'its model wrote nothing that can be read as a comment',
  out_of_persona: 'its model left gaps to be filled in, or spoke as a model and not as the agent',
  unknown_language: 'its model does not know the language',
  not_in_community: 'is not in this community',
  demo_model: 'the starter model can only talk',
  paused: 'paused',
  in_error: 'has an error to fix first',
  no_room_yet: 'no room in the budget {scope} for {n} tokens; answered when there is',
} as const;

/** The same as a receipt: "You mentioned it · 212 tokens · 4 s". */
export const cause = {
  default_responder: 'Answers when nobody is mentioned',
  mentioned_by_you: 'You mentioned it',
  mentioned_by: '{name} mentioned it',
  replied_to_by_you: 'You answered it',
  replied_to_by: '{name} answered it',
  turn: 'Its turn, round {round}',
  broadcast: 'Everyone answers here',
  asked_by_user: 'You asked',
  woken_by: 'Woken by {name}, {time}',
} as const;

/** What a limit is about: follows "the budget". */
export const scope = {
  message: 'of this message',
  run: 'of this run',
  day: 'of the day',
  any_agent: 'of each agent',
  any_group: 'of each group',
  feed: 'of the feed and of schedules',
  agent: 'of this agent',
  group: 'of this group',
} as const;

export const run_state = {
  running: 'running',
  settled: 'settled',
  failed: 'failed',
  stopped: 'stopped',
  interrupted: 'interrupted',
  dropped: 'dropped',
  resumed: 'resumed',
} as const;

export const agent_state = {
  idle: 'idle',
  running: 'running',
  waiting_approval: 'needs you',
  paused: 'paused',
  error: 'error',
  terminated: 'ended',
} as const;

export const verdict = {
  speak: { one: 'speaks', other: 'speak' },
  pass: { one: 'stays silent', other: 'stay silent' },
  wait: { one: 'waits', other: 'wait' },
} as const;

export const policy = {
  default_responder: 'One answers',
  mention: 'Only when mentioned',
  rounds: 'In rounds',
  round_robin: 'One after the other',
  weighted: 'The talkative more often',
  supervisor: 'A supervisor decides',
  broadcast: 'Everyone answers',
  manual: 'Only when you ask',
  default_responder_hint: 'One agent answers. Mention others to hear them.',
  mention_hint: 'Agents answer when mentioned. The others listen.',
  rounds_hint: 'Each agent in turn, until nobody has more to say.',
  round_robin_hint: 'The next in order answers each message.',
  weighted_hint: 'One is drawn, the talkative more often.',
  supervisor_hint: 'One agent names who speaks next.',
  broadcast_hint: 'Every agent answers every message of yours.',
  manual_hint: 'Nobody answers until you ask one to speak.',
} as const;

export const notice = {
  joined: '{name} joined',
  joined_sees: {
    one: '{name} joined and sees the last message',
    other: '{name} joined and sees the last {n} messages',
  },
  joined_sees_nothing: '{name} joined and sees nothing from before',
  left: '{name} left',
  soul_changed: '{name}’s soul changed, applies from here',
  soul_missing: '{name}’s soul is missing: a plain agent without tools until souls/{soul}.md is there',
  proposal_declined: 'Declined what {name} proposed for “{section}” in its soul',
  proposal_declined_first: 'Declined what {name} proposed for the beginning of its soul',
  policy_changed: 'Turn policy changed: {policy}',
  run_failed: '{name} could not answer',
  stood_in: '{by} answers for {name}, as {model} cannot be asked',
  asked_to_post: '{name} is to write a post',
  scheduled: 'By schedule, to {name}: {text}',
  heartbeat: '{name} looks whether there is anything to do',
  asked_for_digest: '{name} tells what has happened since {when}',
  removed: 'A message was forgotten here',
  secret_not_kept: 'A secret is not remembered, since every agent reads memories: keep it with the keys',
  see_keys: 'See keys',
  nothing_to_forget: 'Nothing that is remembered of you says that; nothing was forgotten',
  asked_to_forget: {
    one: 'One memory says that, and stays until you forget it yourself',
    other: '{n} memories say that, and stay until you forget them yourself',
  },
  see_memory: { one: 'See it', other: 'See memories' },
} as const;

/**
 * What a fault is about. Its own words are English, so here they are said
 * instead; in another language they stand beside this as a detail.
 */
export const fault = {
  bad_input: 'This was not understood',
  not_found: 'This does not exist',
  refused: 'This cannot be done now',
  budget: 'A budget is in the way',
  timed_out: 'There was no answer in time',
  conflict: 'Something else changed it first',
  no_model: 'No model can answer',
  key: 'The key is missing or was refused',
  provider: 'The provider gave no usable answer',
  engine: 'The built-in model could not run',
  storage: 'The data could not be read or written',
  internal: 'Something inside Coterie went wrong',
} as const;

/** What the souls that ship say of themselves; whatever a person writes there stays as it is. */
export const shipped = {
  ada_role: 'Thinking partner',
  ada_description: 'Thinks things through with you',
  otto_role: 'Organiser',
  otto_description: 'Keeps lists and dates',
  bo_role: 'Sceptic',
  bo_description: 'Looks for the weak spot',
  ines_role: 'Data analyst',
  ines_description: 'Reads numbers with their spread',
  linxia_role: 'Editor',
  linxia_description: 'Edits, and translates between Chinese and English',
  laochen_role: 'Old hand',
  laochen_description: 'Explains how things work and how to mend them',
} as const;

/** Which of other programs' files a soul was read from. */
export const card_form = {
  card_v1: 'a character card, version 1',
  card_v2: 'a character card, version 2',
  card_v3: 'a character card, version 3',
  soul_md: 'SOUL.md',
  identity_md: 'IDENTITY.md',
} as const;

/** What became of a part of such a file. */
export const card_use = {
  name: 'its name',
  role: 'its role',
  persona: 'who it is',
  example: 'how it speaks',
} as const;

export const card_loss = {
  no_place: 'souls have nothing like it',
  not_its_to_say: 'a file of others does not say what agents may do',
  too_long: 'too long',
  picture: 'it is not kept, since an agent’s picture is drawn after its name',
} as const;
