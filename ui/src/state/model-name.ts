/** What a model is called where there is little room; the whole name stands in the tooltip. */

import type { Run } from '../api/generated';

const fileType = /\.(gguf|bin|safetensors)$/i;
/** How its numbers are stored: `Q4_K_M`, `IQ3_XS`, `bf16`, `4bit`. */
const precision = /[-_.:](i?q\d(_\w+)?|bf16|fp?\d{1,2}|int\d|\d-?bit|awq|gptq|mlx|gguf)$/i;
/** The day on which it came out: `20250929`, `2024-08-06`. */
const day = /[-@:]20\d{2}-?\d{2}-?\d{2}$/;
/** That it follows instructions, as every model does that answers here. */
const tuned = /[-_.:](instruct|it|latest)$/i;

/** `SmolLM2-135M` for `local/SmolLM2-135M-Instruct.Q4_1`. */
export function shortModel(model: string): string {
  const whole = model.slice(model.lastIndexOf('/') + 1).replace(fileType, '');
  let name = whole;
  for (let before = ''; before !== name;) {
    before = name;
    for (const ending of [precision, day, tuned]) name = name.replace(ending, '');
  }
  return name || whole;
}

/** Who answers in a run: its model, or the one that was asked in its place. */
export function askedIn(run: Run): string {
  return run.asked_instead ?? run.model;
}
