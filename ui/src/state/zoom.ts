/** The sizes at which everything can be drawn, in percent of its own. */
export const zooms = [80, 90, 100, 110, 125, 150, 175, 200] as const;
export const ownZoom = 100;

/** The next larger one, or the next smaller one; the same where there is none. */
export function nextZoom(percent: number, to: 'larger' | 'smaller'): number {
  const next = to === 'larger' ? zooms.find((zoom) => zoom > percent) : zooms.findLast((zoom) => zoom < percent);
  return next ?? percent;
}
