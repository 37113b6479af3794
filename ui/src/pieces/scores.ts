/** What the bars of a score show. Pure. */
import type { MemoryScores } from '../api/generated';

/** A text that has nothing to do with another is still this near to it, to the model that compares them. */
const farthest = 0.7;

/**
 * What it was ranked by, and how much of the bar its meaning and its words
 * take. The whole bar is the best of the search; the two parts share what this
 * one has of it by how strong each of them is, as the two are only weighed
 * together.
 */
export function partsOf(scores: MemoryScores, best: number): { total: number; meaning: number; words: number } {
  const total = scores.total * scores.weight;
  const whole = best > 0 ? Math.min(1, Math.max(0, total / best)) : 0;
  const meaning = Math.max(0, (scores.meaning ?? 0) - farthest) / (1 - farthest);
  const words = scores.words / (scores.words + 4);
  const both = meaning + words;
  const share = both > 0 ? meaning / both : 0;
  return { total, meaning: whole * share, words: both > 0 ? whole * (1 - share) : 0 };
}
