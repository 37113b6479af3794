/** How the window behaves among other programs: the icon beside the clock, notices, links to something here. */
export const desktop = {
  closing: 'Closing and starting',
  stays: 'Agents go on when I close the window',
  stays_hint:
    'The icon beside the clock brings the window back and quits Coterie. Where there is no such icon, start Coterie again: that shows this window. While this is off, whoever closes the window ends everything.',
  with_system: 'Start with the system',
  with_system_hint: 'Without the window, so that schedules come while you are signed in.',
  notices: 'Notices',
  notices_about:
    'Only while you do not look at the window, each thing once, and never with what was said or is about to be done.',
  tells_trouble: 'Tell me when an agent could not answer or has stopped',
  stopped: '{name} has stopped',
  stopped_text: 'What stopped it and what helps is said in the window.',
  works: { one: '{n} agent works', other: '{n} agents work' },
  nobody_works: 'Nobody works',
  all_rest: 'Everybody rests',
  waits: { one: '{n} waits for your answer', other: '{n} wait for your answer' },
  nothing_waits: 'Nothing waits for you',
  open: 'Show the window',
  pause: 'Pause everybody',
  resume: 'Have everybody go on',
  quit: 'Quit Coterie',
  link_odd: 'This link names nothing that a workspace has: {link}',
  link_unknown: 'What this link names is not in this workspace: {link}',
  copy_link: 'Copy a link to this',
} as const;
