import { MingaError } from '@minga/protocol'

/** An include or exclude pattern that is no regular expression, or one that could run for hours. */
export class BadPattern extends MingaError {
  readonly code = 'MINGA_BAD_PATTERN' as const
  readonly retry = 'never' as const

  constructor(pattern: string, problem: string) {
    super(`The pattern ${JSON.stringify(pattern.slice(0, 200))} is refused: ${problem}.`)
  }
}
