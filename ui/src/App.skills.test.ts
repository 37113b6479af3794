import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const click = async (id: string) => {
  find(id).click();
  await pass(50);
};

async function page() {
  const backend = await open();
  await click('rail-settings');
  await click('settings-skills');
  return backend;
}

describe('skills', () => {
  it('are added by their path, shown with who has them, and removed when that is confirmed', async () => {
    const backend = await page();
    await click('skill-add');
    writeIn(find('skill-path') as HTMLInputElement, '/home/you/tea');
    await pass(50);
    await click('skill-add-do');
    expect(has('add-skill')).toBe(false);
    expect(find('skill-row').dataset['name']).toBe('tea');
    expect(text('skill-facts')).toBe('no soul names it · License: MIT');
    expect(text('skill-row')).toContain('It says that it needs: Requires a kettle');
    find('skill-text').querySelector('button')?.click();
    await pass(50);
    expect(text('skill-text')).toContain('Boil water.');
    expect(text('skill-text')).toContain('1 file beside it');

    await click('skill-add');
    writeIn(find('skill-path') as HTMLInputElement, '/elsewhere/tea');
    await pass(50);
    await click('skill-add-do');
    expect(text('skills-fault')).toContain('There is a skill tea already');

    await click('skill-remove');
    expect(text('remove-skill')).toContain('Its folder goes for good: /data/skills/tea');
    await click('remove-skill-do');
    expect(has('skill-row')).toBe(false);
    expect(backend.answers.skills.all).toEqual([]);
  });

  it('say where their file is wrong, and what their agents lack', async () => {
    const backend = await page();
    backend.answers.skills.do({ kind: 'add_skill', path: '/home/you/tea' });
    await pass(50);
    expect(has('skill-problem')).toBe(false);
    const [skill] = backend.answers.skills.all;
    const [agent] = [...backend.world.agents.values()];
    if (!skill || !agent) throw new Error('both are there');
    const problem = { line: 3, column: 7, message: 'name is missing in the front matter' };
    backend.answers.skills.put({ ...skill, problem, agents: [{ agent: agent.id, lacks: ['shell'] }] });
    await pass(50);
    expect(text('skill-problem')).toBe(
      'Not in force · SKILL.md, line 3, column 7 · Name is missing in the front matter. Its last valid text stays in force.',
    );
    expect(text('skill-lacks')).toBe(`${agent.name} has not all that it uses: shell`);
  });

  it('stand beside what an agent can use, and why it cannot use the rest', async () => {
    await page();
    expect(text('capable-there')).toBe('calculator toolfetch tool · asks first');
    expect(text('capable-missing')).toBe(
      'shell tool · asks first · it has no folder (roots in its soul) · programs cannot be confined here: the kernel is too old',
    );
    expect(text('roots-left-out')).toBe(
      'garden a link that lies where agents may write leads there; name the folder it leads to',
    );
  });
});
