import { PermanentError } from '@minga/protocol/errors'

export class BadFakeWebSpec extends PermanentError {
  readonly code = 'MINGA_BAD_FAKE_WEB_SPEC' as const
  constructor(problem: string) {
    super(`The fake web cannot be built: ${problem}. Correct the spec and start it again.`)
  }
}

export class BadHitLog extends PermanentError {
  readonly code = 'MINGA_BAD_HIT_LOG' as const
  constructor(line: number) {
    super(`Line ${line} of the hit log is not a hit; judge only files that a fake web wrote.`)
  }
}

export class ProcessTooSlow extends PermanentError {
  readonly code = 'MINGA_PROCESS_TOO_SLOW' as const
  constructor(awaited: string, timeoutMs: number, output: string) {
    super(
      `Waited ${timeoutMs} ms without success for ${awaited}. The process last said:\n${output}`,
    )
  }
}

export class NoMediaWiki extends PermanentError {
  readonly code = 'MINGA_NO_MEDIAWIKI' as const
  constructor() {
    super(
      'No MediaWiki is installed here. On Debian, as root: `node scripts/mediawiki.ts` installs it, or run apt-get install mediawiki php-cli php-sqlite3.',
    )
  }
}
