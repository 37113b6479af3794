/**
 * Draws a plot with uPlot. Fetched when the first one appears.
 *
 * Its colours are those of the page, and follow them. uPlot sets its styles
 * through the CSSOM, so the page allows no style that is written in markup.
 */
import './language-tag';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { everyNth, mixed, stacked, type Plotted, type Series } from './plotted';

const height = 118;
const tickWidth = 34;
/** From one line of the scale to the next. */
const wholeSteps = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));

/** Draws it into the element, as wide as that is. Gives the way to take it out again. */
export function drawPlot(target: HTMLElement, plotted: Plotted, onpoint: (at: number | null) => void): () => void {
  let plot: uPlot | undefined;
  const draw = () => {
    plot?.destroy();
    const width = Math.max(120, target.clientWidth);
    plot = new uPlot(optionsFor(plotted, width, onpoint), dataOf(plotted), target);
  };
  const sized = new ResizeObserver(() => {
    const width = Math.max(120, target.clientWidth);
    if (plot && plot.width !== width) plot.setSize({ width, height });
  });
  const looked = new MutationObserver(draw);
  looked.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-contrast'] });
  draw();
  sized.observe(target);
  return () => {
    looked.disconnect();
    sized.disconnect();
    plot?.destroy();
  };
}

/** Bars that stand on others are drawn before those, from the ground: the highest first. */
function inOrder(plotted: Plotted): readonly { series: Series; shade: number; heights: readonly (number | null)[] }[] {
  const sums = stacked(plotted.series);
  const bars = plotted.series.filter((one) => one.kind === 'bar');
  const lines = plotted.series.filter((one) => one.kind !== 'bar');
  return [
    ...bars.map((series, at) => ({ series, shade: at, heights: (sums[at] ?? []).map(orNone) })).toReversed(),
    // Where two lines meet the first one is seen.
    ...lines.map((series, at) => ({ series, shade: at, heights: series.values })).toReversed(),
  ];
}

/** A bar without a height is none: its outline would cover the line that it stands on. */
const orNone = (height: number) => (height > 0 ? height : null);

function dataOf(plotted: Plotted): uPlot.AlignedData {
  return [plotted.labels.map((_, at) => at), ...inOrder(plotted).map((one) => [...one.heights])];
}

function optionsFor(plotted: Plotted, width: number, onpoint: (at: number | null) => void): uPlot.Options {
  const tokens = getComputedStyle(document.documentElement);
  const colour = (name: string) => tokens.getPropertyValue(`--${name}`).trim();
  const [accent, surface, text, line] = [colour('accent'), colour('surface'), colour('text-3'), colour('line')];
  const shades = [accent, mixed(accent, surface, 0.55), colour('line-control')];
  const bars = uPlot.paths.bars?.({ size: [0.7, 26] });
  const last = plotted.labels.length - 1;
  const axis: uPlot.Axis = {
    font: `11px ${colour('font-ui')}`,
    stroke: text,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    border: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, 6, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.5, last + 0.5] },
      y: { range: (_, _least, most) => [0, plotted.most ?? (most > 0 ? most * 1.05 : 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        gap: 4,
        splits: (of) => {
          const nth = everyNth(plotted.labels.length, of.width / tickWidth);
          return plotted.labels.map((_, at) => at).filter((at) => (last - at) % nth === 0);
        },
        values: (_, at) => at.map((one) => plotted.ticks[one] ?? ''),
      },
      {
        ...axis,
        size: 52,
        gap: 4,
        space: 32,
        ...(plotted.whole ? { incrs: wholeSteps } : {}),
        values: (_, at) => at.map((one) => plotted.say(one)),
      },
    ],
    series: [
      {},
      ...inOrder(plotted).map(({ series, shade }): uPlot.Series => {
        const own = shades[shade] ?? text;
        if (series.kind === 'bar') {
          return { fill: own, stroke: surface, width: 1, points: { show: false }, ...(bars ? { paths: bars } : {}) };
        }
        const isDashed = series.kind === 'dashed';
        const stroke = isDashed ? text : own;
        return {
          stroke,
          width: 1.6,
          spanGaps: true,
          points: { size: 5, fill: stroke, stroke },
          ...(isDashed ? { dash: [4, 3] } : {}),
        };
      }),
    ],
    hooks: { setCursor: [(of) => onpoint(of.cursor.idx ?? null)] },
  };
}
