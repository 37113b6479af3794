/** Something that the window does when it is asked to by its name. */
import type { IconName } from '../parts/icons';

export type Command = {
  id: string;
  label: string;
  /** Other words that find it. */
  also?: string;
  icon: IconName;
  keys?: string;
  run: () => void;
};
