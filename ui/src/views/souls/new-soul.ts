/** A first text and a file name for a soul of which only the name is known. */
import { language, t } from '../../words';

/**
 * A file stem that is free: letters a to z, digits and dashes out of the name.
 * A name without any of those, such as one in Han characters, gets a number.
 */
export function stemFor(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  const base = plain || 'soul';
  // `Ada.md` and `ada.md` cannot both be souls.
  const isFree = (stem: string) => !taken.some((name) => name.toLowerCase() === stem);
  if (plain && isFree(base)) return base;
  for (let n = plain ? 2 : 1; ; n += 1) if (isFree(`${base}-${n}`)) return `${base}-${n}`;
}

export function template(name: string): string {
  return `---
name: ${quoted(name)}
role: ${t('souls.new_role')}
language: ${language() === 'zh' ? 'zh-CN' : 'en'}
avatar: ${quoted(name)}
model: default
temperature: 0.7
---
${t('souls.new_persona', { name })}

# ${t('souls.new_work')}

- ${t('souls.new_work_line')}

# ${t('souls.new_silent')}

${t('souls.new_silent_line')}
`;
}

/** As YAML reads it back: quoted where a bare word would mean something else. */
function quoted(name: string): string {
  const bare =
    /^[\p{L}][\p{L}\p{N} _-]*$/u.test(name) &&
    !/^(true|false|yes|no|on|off|null|y|n)$/i.test(name) &&
    !name.endsWith(' ');
  return bare ? name : JSON.stringify(name);
}

/** The name that a soul's front matter gives, as far as it can be told without reading YAML. */
export function nameIn(text: string): string | undefined {
  const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1];
  const name = /^name:[ \t]*(.+)$/m.exec(front ?? '')?.[1]?.trim();
  return name?.replace(/^(["'])(.*)\1$/, '$2') || undefined;
}
