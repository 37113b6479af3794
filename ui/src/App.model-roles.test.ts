import { afterEach, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, find, open, pass } from './window.kit';

afterEach(close);

const click = async (id: string) => {
  find(id).click();
  await pass(400);
};
/** What is said of a setting, by its control. */
const said = (control: string) => find(control).closest('.setting')?.textContent?.replace(/\s+/g, ' ').trim() ?? '';

it('a role that nobody was chosen for says who does its work, and what is not done', async () => {
  const backend = await open();
  await click('rail-settings');
  await click('settings-models');
  expect(said('model-fast')).toContain('None is chosen: agents use the model that they answer with');
  expect(said('model-fast')).toContain('Nobody looks back');
  expect(said('model-reasoning')).toContain('None is chosen: agents plan with the model that they answer with');
  expect(find('model-fast').textContent?.trim()).toBe('The model that answers');

  // Where nobody is to look back, it is no news that nobody does.
  const { memory } = backend.world.settings;
  backend.answers.command({ kind: 'change_settings', patch: { memory: { ...memory, looks_back: false } } });
  await pass(100);
  expect(said('model-fast')).toContain('None is chosen');
  expect(said('model-fast')).not.toContain('Nobody looks back');

  const models = { ...backend.world.settings.models, fast: 'local/small', reasoning: 'local/big' };
  backend.world.save({ table: 'settings', row: { ...backend.world.settings, models } });
  await pass(100);
  expect([said('model-fast'), said('model-reasoning')].join()).not.toContain('None is chosen');
});

it('looking back says that it needs a fast model while none is chosen', async () => {
  const backend = await open();
  await click('rail-settings');
  await click('settings-you');
  expect(said('memory-looks_back')).toContain('You have chosen no fast model');
  await click('memory-looks_back');
  expect(said('memory-looks_back')).not.toContain('You have chosen no fast model');
  await click('memory-looks_back');
  const models = { ...backend.world.settings.models, fast: 'local/small' };
  backend.world.save({ table: 'settings', row: { ...backend.world.settings, models } });
  await pass(100);
  expect(said('memory-looks_back')).not.toContain('You have chosen no fast model');
});
