export const when = {
  today: 'Today',
  yesterday: 'Yesterday',
  ms: '{value} ms',
  s: '{value} s',
  min: '{value} min',
  h: '{value} h',
  percent: '{value} %',
} as const;
