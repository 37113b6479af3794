/** What the fake agents say. A word in the message picks something special: code, table, long, calculate, silence, quietly, fail, break, think. */
export type Line =
  | { kind: 'text'; text: string; use?: Use; thinks?: Thinks; breaks?: true }
  | { kind: 'silence'; why: string | null; use?: Use; thinks?: Thinks }
  | { kind: 'failure' };
/** What is thought before a tool is used, and before the text. */
export type Thinks = { first?: string; last: string };
/** A tool that is used before the text. */
export type Use = { tool: string; arguments: string; result: string };

const calculated: Use = { tool: 'calculator', arguments: '{"expression":"17*23"}', result: '391' };

const say = (text: string): Line => ({ kind: 'text', text });

const own: Readonly<Record<string, string>> = {
  Ada: 'Start with what would change your mind. If a **cheap test** can answer it this week, run that before you decide anything else.',
  Otto: 'Three things are due:\n\n1. Send the plan to the group\n2. Book the room before Friday\n3. Ask Ines for the numbers',
  Bo: 'The weak spot is the first assumption: nobody has measured it. What would it cost to be wrong?',
  Ines: 'Not as written. Comparing shaded and open stations at 15:00, the median gap is **2.3 °C** across 418 summer days. It reaches 4 °C only on days above 35 °C, and there were 29 of those.\n\nI would like an interval before anyone prints the number.',
  老陈: '先别急着换零件。把电源拔了，等五分钟，再听一次声音：**响一下**就停，多半是继电器；一直响，是风扇轴承。',
  林夏: '这句可以再短一点：“树荫让街道凉快两度，最热的日子凉快四度。”',
};

export function lineOf(name: string, heard: string): Line {
  const asks = (word: string) => heard.toLowerCase().includes(word);
  if (asks('fail')) return { kind: 'failure' };
  if (asks('break off')) return { kind: 'text', text: 'Start with what would change your **mind**.', breaks: true };
  if (asks('silence')) return { kind: 'silence', why: 'nothing to add' };
  if (asks('quietly'))
    return {
      kind: 'silence',
      why: 'nothing to add',
      use: calculated,
      thinks: { first: 'I had better **count**.', last: '' },
    };
  if (asks('code'))
    return say(
      'This counts words:\n\n```python\nfrom collections import Counter\n\ndef words(text: str) -> Counter:\n    return Counter(text.split())\n```\n\nIt is `O(n)` in the length of the text.',
    );
  if (asks('table'))
    return say(
      '| station | shade | open |\n|---|---|---|\n| Alvalade | 31.2 °C | 33.9 °C |\n| Chiado | 30.8 °C | 32.6 °C |\n\nShade wins in both.',
    );
  if (asks('think twice'))
    return {
      kind: 'text',
      text: '17 times 23 is **391**.',
      use: calculated,
      thinks: { first: 'Better not in my head: I take the **calculator**.', last: 'It says 391. That fits.' },
    };
  if (asks('think'))
    return {
      kind: 'text',
      text: own[name] ?? own['Ada'] ?? '',
      thinks: {
        last: 'They ask what to do first.\n\n1. What would change their mind?\n2. What does it *cost* to find out?',
      },
    };
  if (asks('calculate'))
    return {
      kind: 'text',
      text: '17 times 23 is **391**.',
      use: calculated,
    };
  if (asks('long'))
    return say(
      Array.from({ length: 12 }, (_, at) => `Paragraph ${at + 1}. ${own[name] ?? own['Ada'] ?? ''}`).join('\n\n'),
    );
  return say(own[name] ?? own['Ada'] ?? '');
}
