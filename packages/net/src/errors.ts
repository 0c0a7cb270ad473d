import { PermanentError } from '@minga/protocol'

/** An include or exclude pattern that is no regular expression, or one that could run for hours. */
export class BadPattern extends PermanentError {
  readonly code = 'MINGA_BAD_PATTERN' as const

  constructor(pattern: string, problem: string) {
    super(`The pattern ${JSON.stringify(pattern.slice(0, 200))} is invalid: ${problem}.`)
  }
}

/** Every link of every page is compared with every pattern. */
export class TooManyPatterns extends PermanentError {
  readonly code = 'MINGA_TOO_MANY_PATTERNS' as const

  constructor(list: 'include' | 'exclude', count: number, most: number) {
    super(
      `There are ${count} ${list} patterns, and at most ${most} are accepted. Join patterns with |, or use a filter of hosts.`,
    )
  }
}
