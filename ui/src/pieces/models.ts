/** Models as a list to pick from says them: what each reads at once and what it costs. */
import type { Pick } from '../parts/pick';
import type { Listed } from '../state';
import { inOneBreath, money, number, sentence, short, t } from '../words';

/** What the columns beside these models are about; null for one that says nothing of any of them. */
export function modelColumns(models: readonly Listed[]): readonly (string | null)[] {
  return [
    models.some((model) => model.contextTokens !== null) ? t('models.column_context') : null,
    models.some((model) => model.price !== null || model.isHere) ? t('models.column_price') : null,
  ];
}

export function pickOf(model: Listed, group: string | undefined = model.provider): Pick {
  return {
    value: model.id,
    label: model.name,
    facts: [model.contextTokens === null ? '–' : short(model.contextTokens), sayPrice(model)],
    spoken: spoken(model),
    ...(model.isDemo ? { tag: t('models.demo') } : {}),
    ...(group === undefined ? {} : { group }),
  };
}

/** `$1.25 / $10.00`: what a million tokens cost, read and written. */
export function sayPrice({ price, isHere }: { price: Listed['price']; isHere: boolean }): string {
  if (price) return t('models.price', { input: money(price.input_microusd), output: money(price.output_microusd) });
  return isHere ? t('models.free') : t('models.no_price');
}

function spoken(model: Listed): string {
  const facts = [
    ...(model.isDemo ? [t('models.demo')] : []),
    ...(model.contextTokens === null ? [] : [t('models.spoken_context', { tokens: number(model.contextTokens) })]),
    model.price
      ? t('models.spoken_price', {
          input: money(model.price.input_microusd),
          output: money(model.price.output_microusd),
        })
      : sayPrice(model),
  ];
  return sentence(t('models.spoken', { model: model.id, facts: inOneBreath(...facts) }));
}
