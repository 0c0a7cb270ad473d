/** The parameters of one request to api.php, read as MediaWiki reads them. */

import { ApiRefusal, type Json } from './api-answer.ts'

export interface ApiLimits {
  /** Revisions with text, in one answer. */
  text: number
  /** Everything else that is listed. */
  list: number
  /** Titles or ids in one request. */
  values: number
}

export class ApiRequest {
  readonly params: URLSearchParams
  readonly limits: ApiLimits
  readonly warnings = new Map<string, string[]>()

  constructor(params: URLSearchParams, limits: ApiLimits) {
    this.params = params
    this.limits = limits
  }

  has(name: string): boolean {
    return this.params.has(name)
  }

  text(name: string): string | null {
    return this.params.get(name)
  }

  /** Values separated by `|`, none when it is absent or empty. */
  values(name: string): string[] {
    const text = this.params.get(name) ?? ''
    return text === '' ? [] : text.split('|')
  }

  /** For titles and ids, of which there must not be too many. */
  items(name: string): string[] {
    const items = this.values(name)
    const { values: limit } = this.limits
    if (items.length > limit) {
      const info = `Too many values supplied for parameter "${name}". The limit is ${limit}.`
      const data = { limit, lowlimit: limit, highlimit: 10 * limit }
      throw new ApiRefusal('toomanyvalues', info, { data })
    }
    return items
  }

  time(name: string): number | null {
    const text = this.params.get(name)
    if (text === null) return null
    const at = Date.parse(text)
    if (!Number.isNaN(at)) return at
    const info = `Invalid value "${text}" for timestamp parameter "${name}".`
    throw new ApiRefusal('badtimestamp', info)
  }

  /** `max` is as much as there may be; too much is cut, with a warning. */
  limit(
    name: string,
    { module, most, usual }: { module: string; most: number; usual: number },
  ): number {
    const text = this.params.get(name)
    if (text === null) return usual
    if (text === 'max') return most
    const number = Number(text)
    if (!Number.isSafeInteger(number) || number < 1) {
      throw new ApiRefusal('badinteger', `Invalid value "${text}" for integer parameter "${name}".`)
    }
    if (number > most) {
      this.warn(
        module,
        `The value "${number}" for parameter "${name}" must be between 1 and ${most}.`,
      )
    }
    return Math.min(number, most)
  }

  /** `TIME|ID`, as MediaWiki continues everything that is in order of time. */
  continueAt(name: string): { at: number; id: number } | null {
    const text = this.params.get(name)
    if (text === null) return null
    const [, stamp, id] = /^(\d{14})\|(\d+)$/.exec(text) ?? []
    if (stamp === undefined) {
      throw new ApiRefusal(
        'badcontinue',
        'Invalid continue param. You should pass the original value returned by the previous query.',
      )
    }
    return { at: instantOf(stamp), id: Number(id) }
  }

  warn(module: string, sentence: string): void {
    this.warnings.set(module, [...(this.warnings.get(module) ?? []), sentence])
  }

  warningsJson(): Json {
    const entries = [...this.warnings].map(([module, sentences]) => [
      module,
      { warnings: sentences.join('\n') },
    ])
    return entries.length === 0 ? {} : { warnings: Object.fromEntries(entries) }
  }
}

/** `20200131235959`, as MediaWiki's tables have it. */
export function stampOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/\D/g, '').slice(0, 14)
}

function instantOf(stamp: string): number {
  const [, date, month, day, hours, minutes, seconds] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(stamp) ?? []
  return Date.parse(`${date}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
}
