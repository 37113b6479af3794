/** Words that belong to no page: buttons and notes that several share. */
export const part = {
  copy: 'Copy',
  copied: 'Copied',
  diagram: 'Diagram',
  source_text: 'Source',
  more: 'More',
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  loading: 'Loading',
  undo: 'Undo',
  try_again: 'Try again',
  you: 'You',
  system: 'Coterie',
  /** Somebody's program from outside, which speaks for itself. */
  program: '{name} (program)',
  /** What is told in the feed when it happens, by nobody. */
  source: '{name} (source)',
  own_words: 'In its own words',
  in_own_words: 'In its own words: {text}',
  choose_file: 'Choose…',
  format: 'Format',
  new_file: 'New file',
  new_file_hint: 'Its whole path. A file that is there is never replaced.',
  export: 'Export',
  gone_agent: 'a former agent',
  gone_group: 'a former group',
} as const;
