import { PermanentError } from '@minga/protocol'
import type { Flag } from './flags.ts'

/** Why a client is held, in words that tell it what to change. */
export const FLAG_WORDS: Record<Flag['kind'], string> = {
  injection: 'requests that look like attacks on sites',
  credentials: 'requests that carry passwords or tokens',
  denied: 'many requests for forbidden addresses',
  volume: 'many more requests than usual',
  hammering: 'very many requests to one host',
  scanning: 'mostly requests that sites refuse or do not know',
  enumeration: 'long series of numbered addresses',
  evasion: 'repeated requests for what a site refused',
  clicks: 'many votes, likes or clicks',
  probing: 'requests for files that sites do not intend to publish',
}

export class ClientHeld extends PermanentError {
  readonly code = 'MINGA_CLIENT_HELD'
  override readonly status = 403
  constructor({ id, kind }: Pick<Flag, 'id' | 'kind'>) {
    super(
      `New batches of this account are held because of ${FLAG_WORDS[kind]}. Ask the operator of the station to check ${id}.`,
    )
  }
}

export class NoSuchFlag extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_FLAG'
  override readonly status = 404
  constructor(id: string) {
    super(`There is no flag ${id}. GET /api/abuse/flags lists them.`)
  }
}
