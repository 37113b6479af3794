export const reason = {
  default_responder: '无人被提到时由它回答',
  mentioned: '被提到',
  turn: '轮到它，第 {round} 轮',
  broadcast: '这里人人都回答',
  asked_by_user: '你请它发言',
  next_in_order: '按次序轮到它',
  drawn: '抽中，可能性 {share}%',
  supervising: '指定下一位发言者，第 {round} 轮',
  looking_back: '回顾有哪些值得记住',
  chosen_by_supervisor: '由{name}指定，第 {round} 轮',
  supervisor_failed: '主持者没有指定谁，第 {round} 轮',
  delegated: '{name}交给它一项任务',
  not_mentioned: '未被提到',
  not_the_default_responder: '没有提到谁，由另一个智能体回答',
  not_its_turn: '还没轮到',
  not_drawn: '没有抽中，可能性 {share}%',
  not_chosen: '{name}没有指定它',
  supervisor_ended: '主持者说到此为止',
  only_when_asked: '你请它时才发言',
  muted: '已静音',
  nobody_addressed: '消息没有对谁说',
  chose_silence: '选择不说',
  chose_silence_why: '选择不说，“{why}”',
  spoke_for_another: '模型只以{name}的名义写了话',
  bare_acknowledgement: '只有道谢或附和',
  near_duplicate: '会重复说过的话',
  chain_depth: '回复已到 {limit} 层上限',
  message_cap: '已到 {limit} 条上限',
  pair_hops: '与{name}来回 {limit} 次，已到上限',
  hourly_quota: '这一小时已运行 {limit} 次，已到上限',
  over_budget: '{scope}的预算不够了',
  superseded: '先来了更新的消息',
  set_aside: '要它回答的内容已被搁置',
  answers_question: '这回答了它的提问，提问的那一轮接着进行',
  stopped_by_user: '被你停止',
  left_the_group: '已退出群组',
  terminated: '已结束',
  failed: '运行失败',
  replied_to: '有人回复了它',
  interested: '对“{interest}”感兴趣',
  interested_near: '对“{interest}”感兴趣，相近度 {percent} %',
  nobody_else: '这不特别关乎谁，而它歇得最久',
  asked_to_post: '你请它发帖',
  scheduled: '日程到点了',
  heartbeat: '看看有没有事要做',
  asked_for_digest: '说说发生了什么',
  busy: '它正忙着别的事',
  not_interested: '与它的兴趣都不相关',
  cooling_down: '{minutes} 分钟内刚在这里接过内容',
  enough_answers: '别人更合适，最多 {limit} 个回答',
  feed_quota: '这一小时已接过动态里的 {limit} 条，已到上限',
  thread_locked: '帖子已锁定',
  out_of_sight: '要回答的内容已隐藏、删除或被忘掉',
  unreadable: '模型写的内容读不成一条评论',
  paused: '已暂停',
  in_error: '有错误待处理',
} as const;

export const cause = {
  default_responder: '无人被提到时由它回答',
  mentioned_by_you: '你提到了它',
  mentioned_by: '{name}提到了它',
  replied_to_by_you: '你回复了它',
  replied_to_by: '{name}回复了它',
  turn: '轮到它，第 {round} 轮',
  broadcast: '这里人人都回答',
  asked_by_user: '你请它发言',
  woken_by: '由{name}唤醒，{time}',
} as const;

export const scope = {
  message: '这条消息',
  run: '这次运行',
  day: '今天',
  any_agent: '每个智能体',
  any_group: '每个群组',
  feed: '动态和日程',
  agent: '这个智能体',
  group: '这个群组',
} as const;

export const run_state = {
  running: '运行中',
  settled: '已完成',
  failed: '失败',
  stopped: '已停止',
  interrupted: '中断',
  dropped: '已放弃',
  resumed: '已继续',
} as const;

export const agent_state = {
  idle: '空闲',
  running: '运行中',
  waiting_approval: '等你确认',
  paused: '已暂停',
  error: '出错',
  terminated: '已结束',
} as const;

export const verdict = {
  speak: { other: '发言' },
  pass: { other: '不发言' },
  wait: { other: '等待' },
} as const;

export const policy = {
  default_responder: '由一个回答',
  mention: '仅被提到时',
  rounds: '轮流发言',
  round_robin: '依次各答一条',
  weighted: '健谈的多说',
  supervisor: '由主持者指定',
  broadcast: '人人回答',
  manual: '你请才说',
  default_responder_hint: '由一个智能体回答，要听别人的就提到它们。',
  mention_hint: '只有被提到的智能体回答，其余旁听。',
  rounds_hint: '智能体依次发言，直到都没有要说的。',
  round_robin_hint: '你的每条消息，由次序中的下一个回答。',
  weighted_hint: '抽一个智能体回答，越健谈越容易抽中。',
  supervisor_hint: '由一个智能体指定谁接着说，直到它说到此为止。',
  broadcast_hint: '你的每条消息，每个智能体都回答。',
  manual_hint: '你请谁发言，谁才回答。',
} as const;

export const notice = {
  joined: '{name}加入了',
  joined_sees: { other: '{name}加入了，能看到最近 {n} 条消息' },
  joined_sees_nothing: '{name}加入了，看不到之前的消息',
  left: '{name}已退出',
  soul_changed: '{name}的人格已更新，从这里起生效',
  soul_missing: '{name}的人格不见了：在 souls/{soul}.md 放回之前，它没有个性也没有工具',
  proposal_declined: '没有采纳{name}对自己人格中“{section}”一节的提议',
  proposal_declined_first: '没有采纳{name}对自己人格开头的提议',
  policy_changed: '发言规则已改：{policy}',
  run_failed: '{name}没能回答',
  asked_to_post: '让{name}发帖',
  scheduled: '日程，对{name}：{text}',
  heartbeat: '{name}看看有没有事要做',
  asked_for_digest: '{name}说说 {when} 以来发生了什么',
  removed: '这里的一条消息已被忘掉',
} as const;

export const fault = {
  bad_input: '填写的内容有误',
  not_found: '没有找到它',
  refused: '现在不能这样做',
  budget: '预算不够',
  timed_out: '等了太久，没有回应',
  conflict: '已在别处被改动',
  no_model: '没有可用的模型',
  key: '密钥缺失，或被拒绝',
  provider: '服务商没有给出可用的回答',
  engine: '内置模型没能运行',
  storage: '数据没能读出或写入',
  internal: 'Coterie 内部出错',
} as const;

export const shipped = {
  ada_role: '思考伙伴',
  ada_description: '陪你把事情想清楚',
  otto_role: '统筹',
  otto_description: '记着清单和日期',
  bo_role: '质疑者',
  bo_description: '专找薄弱的地方',
  ines_role: '数据分析师',
  ines_description: '看数字，也看它的误差',
  linxia_role: '编辑',
  linxia_description: '改稿，也在中英文之间翻译',
  laochen_role: '老师傅',
  laochen_description: '讲清东西怎么运转、怎么修',
} as const;

export const card_form = {
  card_v1: '角色卡（第 1 版）',
  card_v2: '角色卡（第 2 版）',
  card_v3: '角色卡（第 3 版）',
  soul_md: 'SOUL.md',
  identity_md: 'IDENTITY.md',
} as const;

export const card_use = {
  name: '它的名字',
  role: '它的角色',
  persona: '它是谁',
  example: '它怎样说话',
} as const;

export const card_loss = {
  no_place: '人格里没有这样的内容',
  not_its_to_say: '别人的文件不能决定智能体可以做什么',
  too_long: '太长',
} as const;
