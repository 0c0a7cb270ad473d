import type { OperationTable } from './sql.ts'

/** Joins the tables of several rooms. A name that two of them register is a compile error. */
export function joinOperations<const T extends readonly OperationTable[]>(
  ...tables: T & Distinct<T>
): Joined<T> {
  return Object.assign({}, ...tables) as Joined<T>
}

type Distinct<
  T extends readonly OperationTable[],
  Seen extends string = never,
> = T extends readonly [infer A, ...infer Rest extends readonly OperationTable[]]
  ? [keyof A & Seen] extends [never]
    ? Distinct<Rest, Seen | (keyof A & string)>
    : { registeredTwice: keyof A & Seen }
  : unknown

type Joined<T> = T extends readonly [infer A, ...infer Rest] ? A & Joined<Rest> : unknown
