/** Which of two versions the person is looking at. */
export type View = 'mine' | 'theirs' | 'both';
