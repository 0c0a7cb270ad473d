import { cdxjTimestamp } from '@minga/archive'
import { PermanentError } from '@minga/protocol'

/** It was here, and may not be shown any more. */
export class TakenDown extends PermanentError {
  readonly code = 'MINGA_TAKEN_DOWN'
  override readonly status = 410
  constructor(url: string, { capturedAt, reason }: { capturedAt: number; reason: string }) {
    super(
      `The capture of ${url} of ${cdxjTimestamp(capturedAt)} was taken down: ${reason.replace(/[.!?]+$/, '')}. It cannot be brought back.`,
    )
  }
}

/** What goes is gone: it must be said exactly. */
export class UnclearTakedown extends PermanentError {
  readonly code = 'MINGA_UNCLEAR_TAKEDOWN'
  override readonly status = 409

  static severalVersions(url: string, count: number): UnclearTakedown {
    return new UnclearTakedown(
      `The archive has ${count} versions of ${url}. Choose one with --at TIME, or all with --all-versions.`,
    )
  }

  static withoutTime(): UnclearTakedown {
    return new UnclearTakedown(
      'The request says "at" without a time. Give the time of the version.',
    )
  }
}
