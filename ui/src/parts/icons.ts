/**
 * The drawings of the icons: strokes in a 24x24 box, coloured by the text around them.
 *
 * Constants of ours, so `Icon` may put them into the page as markup.
 */
export const icons = {
  chat: '<path d="M20 11.5a7.5 7.5 0 0 1-11 6.6L4 19.5l1.4-4.6A7.5 7.5 0 1 1 20 11.5z"/>',
  feed: '<path d="M4 6h10M4 11h16M4 16h13M4 20.5h7"/><circle cx="18.5" cy="6" r="1.8"/>',
  memory:
    '<path d="M4 7c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3z"/><path d="M4 7v10c0 1.7 3.6 3 8 3s8-1.3 8-3V7M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3"/>',
  soul: '<path d="M6 3h9l4 4v14H6z"/><path d="M14.5 3v4.5H19M9.5 12h6M9.5 16h4"/>',
  runs: '<path d="M4 6h7M7 12h9M13 18h7"/><path d="M4 3v18" opacity=".45"/>',
  approve:
    '<path d="M12 3l7.5 3v5.5c0 4.4-3 7.8-7.5 9.5-4.5-1.7-7.5-5.1-7.5-9.5V6z"/><path d="M9 11.8l2.2 2.2 4-4.2"/>',
  settings: '<path d="M4 7h9M19 7h1M4 17h1M11 17h9"/><circle cx="16" cy="7" r="2.6"/><circle cx="8" cy="17" r="2.6"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="M16 16l4.5 4.5"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  x: '<path d="M6 6l12 12M18 6L6 18"/>',
  check: '<path d="M5 12.5l4.5 4.5L19 7.5"/>',
  down: '<path d="M7 10l5 5 5-5"/>',
  right: '<path d="M10 7l5 5-5 5"/>',
  left: '<path d="M14 7l-5 5 5 5"/>',
  up: '<path d="M7 14l5-5 5 5"/>',
  more: '<path d="M5.5 12h.01M12 12h.01M18.5 12h.01" stroke-width="2.6"/>',
  panel: '<rect x="3.5" y="4.5" width="17" height="15" rx="2"/><path d="M15 4.5v15"/>',
  user: '<circle cx="12" cy="8" r="3.8"/><path d="M5 20c.8-3.6 3.5-5.5 7-5.5s6.2 1.9 7 5.5"/>',
  users:
    '<circle cx="9" cy="8.5" r="3.3"/><path d="M3 19.5c.6-3.2 2.9-5 6-5s5.4 1.8 6 5M15.5 5.5a3.2 3.2 0 0 1 0 6M17.5 15c1.9.7 3.1 2.2 3.5 4.5"/>',
  send: '<path d="M12 19V5.5M6 11l6-6 6 6"/>',
  stop: '<rect x="7" y="7" width="10" height="10" rx="1.5"/>',
  at: '<circle cx="12" cy="12" r="3.6"/><path d="M15.6 8.5v5c0 1.6 1 2.5 2.3 2.5 1.6 0 2.6-1.6 2.6-4a8.5 8.5 0 1 0-3.5 6.9"/>',
  clip: '<path d="M19.5 11.5l-7.6 7.6a4.6 4.6 0 0 1-6.5-6.5l8-8a3.1 3.1 0 0 1 4.4 4.4l-7.9 7.9a1.55 1.55 0 0 1-2.2-2.2l7.2-7.2"/>',
  file: '<path d="M6.5 3h7.5l4 4v14H6.5z"/><path d="M13.5 3v4.5H18"/>',
  archive: '<path d="M4 5h16v4H4z"/><path d="M5.5 9v10.5h13V9M10 13h4"/>',
  thought:
    '<path d="M9.5 14.8c-.2-1.2-.8-1.9-1.6-2.8a5.6 5.6 0 1 1 8.2 0c-.8.9-1.4 1.6-1.6 2.8z"/><path d="M9.8 17.6h4.4M10.7 20.3h2.6"/>',
  term: '<rect x="3.5" y="4.5" width="17" height="15" rx="2"/><path d="M7.5 10l2.5 2.2-2.5 2.3M12.5 15h4"/>',
  warn: '<path d="M12 4.5l8.5 15h-17z"/><path d="M12 10.5v4M12 17h.01"/>',
  info: '<circle cx="12" cy="12" r="8.5"/><path d="M12 11v5M12 8h.01"/>',
  clock: '<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>',
  silent: '<path d="M20 11.5a7.5 7.5 0 0 1-11 6.6L4 19.5l1.4-4.6A7.5 7.5 0 1 1 20 11.5z"/><path d="M9.3 11.5h6.4"/>',
  pin: '<path d="M9 4h6l-.7 6 3.2 3.5h-11L9.7 10zM12 13.5V20"/>',
  edit: '<path d="M4.5 19.5l1-4.2L16 4.8l3.2 3.2L8.7 18.5z"/>',
  trash: '<path d="M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7"/>',
  undo: '<path d="M8 5L4 9l4 4"/><path d="M4 9h9.5a5.5 5.5 0 0 1 0 11H9"/>',
  merge: '<path d="M6 4v4c0 4 6 4 6 8v4M18 4v4c0 4-6 4-6 8"/>',
  link: '<path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1"/>',
  jump: '<path d="M8 16L17 7M10 7h7v7"/>',
  lock: '<rect x="5.5" y="10.5" width="13" height="9.5" rx="2"/><path d="M8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5"/>',
  key: '<circle cx="8" cy="15" r="4"/><path d="M11 12l8.5-8.5M16 7l2.5 2.5M13.5 9.5l2 2"/>',
  pause: '<path d="M9 6v12M15 6v12"/>',
  play: '<path d="M8 5.5l10.5 6.5L8 18.5z"/>',
  chip: '<rect x="7" y="7" width="10" height="10" rx="1.5"/><path d="M10 7V3.5M14 7V3.5M10 20.5V17M14 20.5V17M7 10H3.5M7 14H3.5M20.5 10H17M20.5 14H17"/>',
  coin: '<circle cx="12" cy="12" r="8.5"/><path d="M14.8 9.3c-.4-1-1.4-1.6-2.8-1.6-1.6 0-2.8.8-2.8 2.1 0 3 5.7 1.4 5.7 4.4 0 1.3-1.2 2.2-2.9 2.2-1.5 0-2.6-.7-3-1.8M12 6v12"/>',
  bolt: '<path d="M13 3.5L5.5 13.5H12l-1 7 7.5-10H12z"/>',
  grip: '<path d="M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01" stroke-width="2.4"/>',
  branch:
    '<circle cx="7" cy="5.5" r="2"/><circle cx="7" cy="18.5" r="2"/><circle cx="17" cy="8" r="2"/><path d="M7 7.5v9M17 10c0 4-5 3.5-9 6.5"/>',
  reply: '<path d="M9 6L4 11l5 5"/><path d="M4 11h9c4 0 7 2 7 7"/>',
  filter: '<path d="M4 6.5h16M7.5 12h9M10.5 17.5h3"/>',
  sort: '<path d="M8 5v14M5 16l3 3 3-3M14 7h6M14 12h4.5M14 17h3"/>',
  globe: '<circle cx="12" cy="12" r="8.5"/><path d="M3.5 12h17M12 3.5c5 5 5 12 0 17M12 3.5c-5 5-5 12 0 17"/>',
  data: '<path d="M4 8.5l8-4.5 8 4.5-8 4.5zM4 12.5l8 4.5 8-4.5M4 16.5l8 4.5 8-4.5"/>',
  look: '<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5v17a8.5 8.5 0 0 0 0-17z" fill="currentColor"/>',
  plug: '<path d="M9 3.5v5M15 3.5v5M6.5 8.5h11v3a5.5 5.5 0 0 1-11 0zM12 17v3.5"/>',
  enter: '<path d="M19 6v6a2 2 0 0 1-2 2H6M9.5 10L5.5 14l4 4"/>',
  eye: '<path d="M3 12c2.2-4 5.2-6 9-6s6.8 2 9 6c-2.2 4-5.2 6-9 6s-6.8-2-9-6z"/><circle cx="12" cy="12" r="2.6"/>',
  graph:
    '<circle cx="6" cy="7" r="2.2"/><circle cx="18" cy="9" r="2.2"/><circle cx="11" cy="18" r="2.2"/><path d="M8.1 7.4l7.7 1.2M7 9l3.2 7M16.8 10.9l-4.5 5.3"/>',
  table: '<rect x="4" y="5" width="16" height="14" rx="1.5"/><path d="M4 10h16M4 14.5h16M10 10v9"/>',
  cards: '<rect x="4" y="4.5" width="16" height="6" rx="1.5"/><rect x="4" y="13.5" width="16" height="6" rx="1.5"/>',
  copy: '<rect x="8.5" y="8.5" width="11" height="11" rx="2"/><path d="M15.5 5.5v-.2a1.8 1.8 0 0 0-1.8-1.8H5.8A1.8 1.8 0 0 0 4 5.3v7.9A1.8 1.8 0 0 0 5.8 15H6"/>',
  wait: '<path d="M7 4h10M7 20h10M8 4c0 5 8 5 8 8s-8 3-8 8M16 4c0 5-8 5-8 8s8 3 8 8"/>',
} as const;

export type IconName = keyof typeof icons;
