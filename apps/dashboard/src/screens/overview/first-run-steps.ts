/** How far a new station is: what of the first three steps has really been done. */

export const FIRST_STEPS = ['collect', 'invite', 'ask'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

export interface StationSoFar {
  collections: number
  /** Whether each is the station's own; undefined: the visitor may not know. */
  devices: readonly { isTrusted: boolean }[] | undefined
  /** Of the kind `query`, not imports; undefined as above. */
  queries: readonly { kind: string }[] | undefined
  /** A question was answered in this browser: SQL leaves no trace at the station. */
  hasAsked: boolean
}

export function doneSteps(soFar: StationSoFar): ReadonlySet<FirstStep> {
  const { collections, devices = [], queries = [], hasAsked } = soFar
  const done: Record<FirstStep, boolean> = {
    collect: collections > 0,
    // The station's own agents are trusted; who was invited is not, yet.
    invite: devices.some(({ isTrusted }) => !isTrusted),
    ask: hasAsked || queries.some(({ kind }) => kind === 'query'),
  }
  return new Set(FIRST_STEPS.filter((step) => done[step]))
}

/** People write `example.org`; a collection begins at an address. */
export function seedOf(text: string): string | null {
  const written = text.trim()
  if (written === '') return null
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(written) ? written : `https://${written}`)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url.href : null
}
