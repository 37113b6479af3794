/** What a new group can begin with, in the reader's words: those that ship in ours, a person's own in its own. */
import type { TemplateView } from '../../api/generated';
import { t } from '../../words';

const shipped = ['pair_review', 'debate', 'writers_room', 'research_team'] as const;
type Shipped = (typeof shipped)[number];

function shippedName({ template, is_own }: TemplateView): Shipped | undefined {
  return is_own ? undefined : shipped.find((name) => name === template);
}

export function titleOf(view: TemplateView): string {
  const name = shippedName(view);
  return name ? t(`template.${name}`) : view.title;
}

export function toldOf(view: TemplateView): string {
  const name = shippedName(view);
  return name ? t(`template.${name}_hint`) : view.about;
}

/** How to use it; `supervisor` is who names the next speaker. */
export function howOf(view: TemplateView, supervisor: string): string {
  const name = shippedName(view);
  return name ? t(`template.${name}_how`, { name: supervisor }) : view.about;
}

/** The title, with a number where another group is called so. */
export function calledLike(title: string, names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = title;
  for (let n = 2; taken.has(name.toLowerCase()); n += 1) name = `${title} (${n})`;
  return name;
}
