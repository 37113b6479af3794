import { beforeEach, expect, it } from 'vitest';
import { Shortcuts } from '../../state';
import { actOf, isField, isWriting, type Act } from './keys';

const press = (key: string, held: ('ctrl' | 'meta' | 'shift' | 'alt')[] = [], composes = {}) =>
  actOf(
    {
      key,
      ctrlKey: held.includes('ctrl'),
      metaKey: held.includes('meta'),
      shiftKey: held.includes('shift'),
      altKey: held.includes('alt'),
      isComposing: false,
      keyCode: 0,
      ...composes,
    },
    new Shortcuts(),
  );

beforeEach(() => localStorage.clear());

it('knows the keys of the window', () => {
  const table: [ReturnType<typeof press>, Act | null][] = [
    [press('k', ['ctrl']), 'palette'],
    [press('K', ['meta']), 'palette'],
    [press('f', ['ctrl']), 'find'],
    [press('n', ['ctrl']), 'new_group'],
    [press('N', ['meta']), 'new_group'],
    [press(',', ['ctrl']), 'settings'],
    [press('/', ['ctrl']), 'shortcuts'],
    [press('/', ['ctrl', 'shift']), 'shortcuts'],
    [press('=', ['ctrl']), 'larger'],
    [press('+', ['ctrl', 'shift']), 'larger'],
    [press('-', ['meta']), 'smaller'],
    [press('0', ['ctrl']), 'own_size'],
    [press('k', ['ctrl', 'alt']), null],
    [press('Control', ['ctrl']), null],
    [press('k', ['ctrl'], { keyCode: 229 }), null],
    [press('z', ['ctrl']), 'undo'],
    [press('z', ['ctrl', 'shift']), null],
    [press('F6'), 'region'],
    [press('F6', ['shift']), 'region_back'],
    [press('ArrowLeft', ['alt']), 'back'],
    [press('Escape'), 'stop'],
    [press('n'), null],
    [press('Escape', [], { isComposing: true }), null],
    [press('Escape', [], { keyCode: 229 }), null],
  ];
  for (const [got, wanted] of table) expect(got).toBe(wanted);
});

it('knows where something can be written', () => {
  document.body.innerHTML = '<textarea></textarea><input /><div contenteditable="true"></div><button></button>';
  expect([...document.body.children].map(isField)).toEqual([true, true, true, false]);
  expect(isField(null)).toBe(false);
});

it('leaves the keys to a text only while there is one', () => {
  const area = document.createElement('textarea');
  expect(isWriting(area)).toBe(false);
  area.value = 'words';
  expect(isWriting(area)).toBe(true);
  expect(isWriting(document.body)).toBe(false);
});
