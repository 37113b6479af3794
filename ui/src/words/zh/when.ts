export const when = {
  today: '今天',
  yesterday: '昨天',
  ms: '{value} 毫秒',
  s: '{value} 秒',
  min: '{value} 分钟',
  h: '{value} 小时',
  percent: '{value}%',
} as const;
