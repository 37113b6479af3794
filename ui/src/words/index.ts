/** Words, numbers and times for the screens. */
export {
  t,
  inEveryTongue,
  setLanguage,
  language,
  languageTag,
  type Args,
  type Key,
  type LanguageChoice,
  type Tongue,
} from './words.svelte';
export {
  number,
  short,
  money,
  percent,
  time,
  day,
  dayShort,
  dayWhole,
  moment,
  full,
  whole,
  duration,
  list,
  size,
} from './format';
export * from './say';
export * from './memory';
export * from './memory-file';
export * from './schedules';
export * from './sentences';
export { sayTyped, typedDigits, typedMicrousd, typedNumber, typedWhole } from './typed';
export { tellFault, titleFault, wholeFault, type Told } from './faults';
export { tellProblem, wholeProblem } from './mistakes';
export { tellCheck } from './checks';
export { sayGiven } from './given';
export { sayShipped } from './shipped';
