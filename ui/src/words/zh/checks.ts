/** What the checks of the workspace found. */
import type { CheckAbout, Finding } from '../../api/generated';
import type { Found } from '../checks';

export const abouts: Record<CheckAbout['is'], string> = {
  system: '操作系统',
  data_directory: '数据文件夹',
  database: '数据库',
  souls: '人格',
  skills: '技能',
  profile: '个人资料',
  engine: '内置模型程序',
  keeper: '进程看护程序',
  sandbox: '沙箱',
  starter_model: '自带模型',
  embedding_model: '检索模型',
  onnx_runtime: 'ONNX Runtime',
  memory_index: '记忆索引',
  reranker: '重排模型',
  memory_import: '导入记忆',
  prompts: '提示词',
  keyring: '密钥存放处',
  default_model: '默认模型',
  provider: '服务商 {name}',
  mcp_server: 'MCP 服务器 {name}',
  agent: '智能体 {name}',
  source: '来源 {name}',
  feed: '动态',
};

/** What does not work without a part that ships. */
export const without: Partial<Record<CheckAbout['is'], string>> = {
  engine: '本机模型不能运行',
  keeper: '不能为智能体启动任何程序',
  sandbox: '智能体不能运行程序',
  starter_model: '智能体要用别的模型才能回答',
  embedding_model: '检索只能按字词',
  onnx_runtime: '检索只能按字词',
};

/** No full stop. */
export const found: Record<Found, string> = {
  at: '{path}',
  damaged: '已损坏',
  system_untried: 'Coterie 能为 {system} 编译，但开发者没有在上面运行过',
  souls_in_force: '{path} 里有 {count} 个',
  soul_not_in_force: '{path} 没有生效',
  soul_gone: '{path} 不在了',
  skills_in_force: '{path} 里有 {count} 个',
  skill_not_in_force: '{path} 没有生效',
  profile_unreadable: '{path} 读不出来',
  profile_long: '{path} 有 {tokens} 词元，智能体保证读到的只有 {most}',
  profile_empty: '{path} 里还没有内容',
  part_missing: '{path} 不在了，{without}',
  part_cut: '{path} 有 {found_bytes} 字节，应当是 {shipped_bytes}，{without}',
  part_changed: '{path} 的内容和发布时不一样，{without}',
  confines: '智能体运行的程序关在沙箱里',
  confines_without_marks:
    '智能体运行的程序关在沙箱里，但不能改变任何文件的权限和时间，所以 git init、tar x、cp -p 和编译器会失败',
  confines_on_mac:
    '智能体运行的程序由 sandbox-exec 关在沙箱里，这次启动时试过，是有效的；离开程序所在进程组的进程不受限制，也不会随它结束',
  unconfined: '这台电脑不能把程序关在沙箱里，所以智能体不能运行程序',
  memories_found: '记忆有 {memories} 条，其中 {meaning} 条按含义也能找到',
  words_only: '{memories} 条记忆只能按字词找到',
  embedder_away: '{memories} 条记忆只能按字词找到：{model} 没有算出含义',
  reranker_unused: '{path} 不能用，找到的内容按原来的顺序排',
  import_cut_off: '导入 {path} 中断了，无法继续',
  feed_stuck: '{events} 条帖子或评论没能派发出去',
  prompt_unused: '你自己的提示词不能用：{detail}',
  keyring_works: '{name}可用，存有 {keys} 个密钥',
  keys_apart: '{keys} 个密钥和新密钥不在一处',
  sealed_open: '密封文件已打开，存有 {keys} 个密钥',
  sealed_locked: '密封文件已锁定，存有 {keys} 个密钥',
  sealed_gone: '存放密钥的密封文件不在了',
  model: '{model}',
  model_demo: '{model} 是小的演示模型，只懂英文',
  model_unlisted: '{model}，服务商没有列出它',
  nobody_answers: '没有智能体能回答：{title}',
  provider_answers: '有回应，模型有 {models} 个',
  server_ready: '有回应，工具有 {tools} 个',
  server_off: '已关闭',
  server_starting: '正在启动',
  server_sign_in: '要你登录',
  server_away: '不在',
};

export const answers = {
  tells_anybody: '它对谁都列出模型，所以密钥没有经过检查',
  left_alone: '刚才连不上，再过 {seconds} 秒才会再试',
} as const;

export const mend: Partial<Record<Finding['is'], string>> = {
  damaged: '用 backups/ 里的副本恢复。',
  profile_unreadable: '改好文件，在那之前智能体读不到它。',
  profile_long: '缩短它，或换一个读得更多的模型。',
  part_missing: '重新安装 Coterie。',
  part_cut: '重新安装 Coterie。',
  part_changed: '重新安装 Coterie。',
  confines_without_marks: '要允许程序建立用户命名空间：docs/tools.md 说明在 Ubuntu 上怎么做。',
  unconfined: '要用 Linux 6.12 或更新的内核，并启用 Landlock；或者用 macOS。',
  words_only: '重新安装 Coterie。',
  embedder_away: '在设置的“模型”里检查它的服务商，或者在那里换一个模型。',
  reranker_unused: '把需要的文件放进去，或者删掉那个文件夹，然后重新启动 Coterie。',
  import_cut_off: '把文件放回去再启动，或者在“记忆”页重新导入或放弃。',
  feed_stuck: '在“动态”页重试。',
  prompt_unused: '改正或删除这个文件；在此之前用 Coterie 自带的提示词。',
  keys_apart: '在设置的“密钥”里把它们移到一处。',
  sealed_locked: '在设置的“密钥”里用口令解锁。',
  sealed_gone: '把它放回来，或在设置的“密钥”里改用系统密钥环。',
  model_demo: '在设置的“模型”里添加服务商，换一个更好的。',
  model_unlisted: '它也许照样能回答。不行就在设置的“模型”里换一个。',
  server_sign_in: '在设置的“MCP”里登录。',
  server_away: '在设置的“MCP”里看它的日志，改好再重新启动它。',
  agent_stopped: '然后在列表里它的菜单中让它继续。',
};

export const skill = {
  keeps: '在那之前原来的内容继续生效。',
  none: '在那之前智能体不能用它。',
} as const;

export const soul = {
  put_back: '把文件放回去。',
  keeps: '在那之前 v{version} 继续生效。',
  none: '在那之前不能用它创建智能体。',
} as const;
