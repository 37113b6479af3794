/** The languages of the window, each by its own name, so that its readers find it in any other. */
export const tongues = [
  { value: 'en', label: 'English' },
  { value: 'zh', label: '简体中文' },
];
