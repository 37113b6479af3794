/** What can be wrong with a soul file. Whole sentences; each says what would be right. */
import type { SoulForm, SoulValue, YamlCause } from '../../api/generated';
import type { Mistake } from '../mistakes';

const letters = '人格的文件名由文字、数字、- 和 _ 组成，';
const rename = '把文件改名，例如 {better}。大家怎么称呼它，写在 name 里。';
const oneFile = '一个人格只有一个文件，把';

export const mistakes: Record<Mistake, string> = {
  file_name_not_utf8: `文件名不是 UTF-8。${rename}`,
  file_name_ending: `人格的文件名以 .md 结尾，只有一个，用小写。${rename}`,
  file_name_empty: `.md 前面要有名字。${rename}`,
  file_name_space: `${letters}这个名字里有空格。${rename}`,
  file_name_dot: `${letters}这个名字里有点号。${rename}`,
  file_name_mark: `${letters}这个名字里有不依附文字的符号。${rename}`,
  file_name_character: `${letters}这个名字里有“{character}”。${rename}`,
  file_name_unseen: `${letters}这个名字里有看不见的字符 {code}。${rename}`,
  file_name_long: `文件名在 .md 前最多 {most} 个字符，这个有 {length} 个。${rename}`,
  file_name_bytes: `文件名在 .md 前最多 {most} 字节，这个有 {length} 字节。${rename}`,
  other_capitals: `{counts} 与它只差大小写，生效的是那个。${oneFile} {file} 改名或删除。`,
  other_file_composed: `有两个文件同名：一个的重音字母写成一个字符（NFC），生效的是它；这个写成两个字符（NFD）。${oneFile}这个改名或删除。`,
  other_file_decomposed: `有两个文件同名：一个的重音字母写成两个字符（NFD），生效的是它；这个写成一个字符（NFC）。${oneFile}这个改名或删除。`,
  not_plain: '这是链接或文件夹，人格只能是普通文件。把文本本身放在那里。',
  forbidden: '当前账户没有权限读这个文件，让它可以读。',
  unreadable: '文件读不出来，检查磁盘。',
  too_large: '人格最多 {most_kib} KiB，这个文件更大。把它缩短。',
  utf16: '文件存成了 UTF-16，把它存成 UTF-8。',
  not_utf8: '从这里起不是 UTF-8，把文件存成 UTF-8。',
  control_character: '这里有控制字符（{code}），删掉它。',
  persona_empty: '人格是空的，在这里写这个智能体是谁。',
  front_unended: '从这里开始的文件头没有结束，在它后面加一行 ---。',
  front_late: '文件头要从第一行开始，这里会被当作人格的一部分。',
  front_twice: '文件头只能是一个 YAML 文档，这里开始了第二个。',
  front_form: '文件头是一行行的 key: value，例如 role: Cook，而不是{found}。',
  front_long: '文件头太长了，长的文字写在它下面。',
  anchors: '文件头里用不着 YAML 的锚和引用（& 和 *）。直接写出值，以 & 或 * 开头的值要加引号。',
  tags: '文件头里用不着 YAML 标签（!…），直接写值。',
  yaml: '这不是有效的 YAML。',
  yaml_cause: '这不是有效的 YAML：{cause}。',
  too_deep: '文件头最多嵌套 {most} 层。',
  key_twice: '{key} 写了两次，第 {line} 行已经有了。',
  key_unfit: '键是一个短词，例如 name 或 role。',
  control_in_value: '这个值里有控制字符（{code}），删掉它。',
  field_unknown: '人格没有 {field} 这个字段，它会保留，但不起作用。',
  field_misspelt: '人格没有 {field} 这个字段，是不是想写 {close}？',
  field_form: '{field} 应当是{form}，而不是{found}。',
  field_range: '{field} 在 {from} 到 {to} 之间，而不是{found}。',
  field_unquoted: '{field} 是文本，给{found}加上引号。',
  item_unquoted: '{field} 是一列文本，给{found}加上引号。',
  item_form: '{field} 是一列文本，{found}不是。',
  field_lines: '{field} 只能写一行。',
  field_long: '{field} 最多 {most} 个字符，这里有 {length} 个。',
  name_length: 'name 是一行 1 到 {most} 个字符，而不是{found}。',
  name_has: 'name 里不能有 {character}，{found}里有。',
  name_reserved: 'name 要另取一个，{found}是指用户或 Coterie 自己的词。',
  name_spaces: 'name 里不能有空格，这样才能用 @ 提到它，{found}里有。',
  limit_unknown: '{field} 什么也不限制，可以用 {known}。',
  policy_idle: '{field} 写在 policy 里不起作用，把它写成单独的字段。',
  skill_missing: '没有名为 {name} 的技能，在设置的“技能”里看有哪些。',

  skill_no_file: '这个文件夹里没有 SKILL.md，写一个。',
  skill_link: '这是链接，或不是普通文件。技能是装普通文件的文件夹，把文件夹本身放到这里。',
  skill_large: 'SKILL.md 最多 {most_kib} KiB，其余的写到旁边的文件里。',
  skill_no_front: 'SKILL.md 以前言开头：一行 ---，name 和 description，再一行 ---。',
  skill_body_empty: '前言下面什么也没有，在这里写怎么做。',
  skill_field_missing: '前言里缺少 {field}。',
  skill_field_unknown: '{field} 不是技能的字段，不起作用。',
  skill_name: 'name 由 1 到 {most} 个小写字母、数字和其间的单个连字符组成，而不是{found}。',
  skill_other_name: 'name 应与文件夹同名，文件夹叫 {folder}，这里写的是 {name}。改其中一个。',
};

/** After Chinese; what begins or ends with other letters has its blank with it. */
export const forms: Record<SoulForm['is'], string> = {
  text: '文本',
  list: '一列值，例如 [one, two]',
  block: '一组设置，每行一个 key: value',
  truth: ' true 或 false',
  language: '语言标签，例如 en 或 zh-CN',
  model: ' default、fast、reasoning，或写成“服务商/模型”的模型',
  fallback: ' default、fast、reasoning、写成“服务商/模型”的模型，或 none',
  plan: ' never、auto 或 always',
  heartbeat: ' true、false、30m 这样的时间，或写有 every: 1h、hours: 9-18、zone: Asia/Shanghai 的一组设置',
  limit: '不小于 0 的数，或表示不限的 off',
  number: ' {from} 到 {to} 之间的数',
  whole: ' {from} 到 {to} 之间的整数',
};

export const values: Record<SoulValue['is'], string> = {
  nothing: '空的',
  empty_text: '空文本',
  list: '一列值',
  block: '一组设置',
  word: ' {text} ',
  text: '“{text}”',
};

export const causes: Record<YamlCause, string> = {
  star_quotes: '以 * 开头的值要加引号',
  colon_quotes: '含冒号的值要加引号，各字段从同一列开始',
  colon_missing: '键和值之间要有冒号和空格',
  columns: '各字段从同一列开始',
  dash_quotes: '以 - 开头的值要加引号',
  first_quotes: '以这个字符开头的值要加引号',
  backslash: '双引号里的反斜杠写成 \\\\',
  quotes_end: '引号在这之前就结束了',
  quote_open: '有引号没有结束',
  bracket_open: '有括号没有结束',
  tab: '缩进用空格',
};
