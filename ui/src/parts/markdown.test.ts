// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { rendered as render } from './markdown';

describe('words that Chinese writes without spaces', () => {
  it('are set in bold where punctuation stands inside', () => {
    expect(render('他说**“你好”**然后走了')).toContain('<strong>“你好”</strong>然后');
    expect(render('**注意：**请先备份')).toContain('<strong>注意：</strong>请先');
  });

  it('leave English and code as they are', () => {
    expect(render('2 ** 3 ** 4')).not.toContain('<strong>');
    expect(render('`**kwargs**`')).toContain('**kwargs**');
  });
});
