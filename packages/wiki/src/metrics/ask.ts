/**
 * How metrics reach the histories: one function that runs a statement over the views `revisions` and `pages`
 * with bound values. What people send never becomes part of a statement's text.
 */

export type AskValue = string | number | boolean | null

export interface AskLimits {
  rowsMax: number
  timeMs: number
}

export type AskRow = Record<string, unknown>

/** Values are bound to `$1`, `$2`, … in their order; answers beyond a limit are refused by an error, not cut. */
export type Ask = (
  statement: string,
  values: readonly AskValue[],
  limits?: AskLimits,
) => Promise<AskRow[]>

/** A condition on rows of `revisions r`, with the values that it binds. */
export interface Choice {
  where: string
  values: readonly AskValue[]
}

/** Collects what a statement binds, and gives each value its place. */
export class Values {
  readonly list: AskValue[]

  constructor(before: readonly AskValue[] = []) {
    this.list = [...before]
  }

  bind(value: AskValue): string {
    this.list.push(value)
    return `$${this.list.length}`
  }
}

/** Whole numbers come back as bigint or number, depending on their column; ours all fit a double exactly. */
export function numberOf(value: unknown): number {
  return typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : 0
}

export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : numberOf(value)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
