/**
 * What a table of words looks like, and what the compiler can tell from it.
 *
 * English is the original: its text says which keys there are and which
 * `{params}` each one takes. Other languages have the same keys.
 */

/** A text that depends on the number `n`. */
export type Plural = { readonly one?: string; readonly other: string };
export type Word = string | Plural;

type Names<S> = S extends `${string}{${infer Param}}${infer Rest}` ? Param | Names<Rest> : never;

/** The params of a word: those between braces, and `n` for a plural. */
export type ParamsOf<W> = W extends string ? Names<W> : W extends { readonly other: infer O } ? Names<O> | 'n' : never;

type Area = Readonly<Record<string, Word>>;
export type Table = Readonly<Record<string, Area>>;

/** `area.key` for every word of a table. */
export type KeyOf<T extends Table> = { [A in keyof T & string]: `${A}.${keyof T[A] & string}` }[keyof T & string];

export type WordAt<T extends Table, K> = K extends `${infer A}.${infer W}`
  ? A extends keyof T
    ? W extends keyof T[A]
      ? T[A][W]
      : never
    : never
  : never;

/** The same keys in another language; a plural stays a plural. */
export type Translated<T> = { readonly [K in keyof T]: T[K] extends string ? string : Plural };
