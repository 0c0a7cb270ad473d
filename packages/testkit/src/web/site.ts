/** One host of the fake web: its name and the behaviours that fell to it. */

import { mixedFraction } from '../random.ts'
import { addressesFrom } from './addresses.ts'
import type { Behaviour, BehaviourKind, FullSpec, HostSelection } from './spec.ts'

export interface Site {
  index: number
  /** `http://host:port`. */
  origin: string
  behaviours: Behaviour[]
}

export interface Sites {
  count: number
  at(index: number): Site
  /** By the text of a Host header, whose port is ignored. */
  ofHostHeader(header: string): Site | undefined
  ofAddress(address: string): Site | undefined
}

export function layOutSites(spec: FullSpec, port: number): Sites {
  const addresses = addressesFrom(spec.firstAddress, spec.hosts)
  const made: Site[] = []
  const byHeader = new Map<string, Site | undefined>()

  const at = (index: number): Site => {
    const host = spec.named ? `h${index}.fake.test` : addresses.of(index)
    return (made[index] ??= {
      index,
      origin: `http://${host}:${port}`,
      behaviours: spec.behaviours.filter((one, number) =>
        isChosen(one.on ?? 'all', { index, number, seed: spec.seed }),
      ),
    })
  }
  const known = (index: number | undefined): Site | undefined =>
    index !== undefined && index < spec.hosts ? at(index) : undefined
  const ofHostHeader = (header: string): Site | undefined => {
    const name = hostName(header)
    const number = /^h(\d{1,9})\.fake\.test$/.exec(name)?.[1]
    return known(number === undefined ? addresses.indexOf(name) : Number(number))
  }

  return {
    count: spec.hosts,
    at,
    ofHostHeader: (header) => {
      if (!byHeader.has(header)) byHeader.set(header, ofHostHeader(header))
      return byHeader.get(header)
    },
    ofAddress: (address) => known(addresses.indexOf(address)),
  }
}

/** The politeness unit by name: no port, lower case. */
export function hostName(hostHeader: string): string {
  return hostHeader.replace(/:\d*$/, '').toLowerCase()
}

/** The last one listed wins, so that a test can say "all …, but host 3 …". */
export function behaviourOf<K extends BehaviourKind>(
  site: Site,
  kind: K,
): Extract<Behaviour, { kind: K }> | undefined {
  const isOfKind = (one: Behaviour): one is Extract<Behaviour, { kind: K }> => one.kind === kind
  return site.behaviours.findLast(isOfKind)
}

function isChosen(
  selection: HostSelection,
  { index, number, seed }: { index: number; number: number; seed: number },
): boolean {
  if (selection === 'all') return true
  if (Array.isArray(selection)) return selection.includes(index)
  return index > 0 && mixedFraction(seed, 77, number, index) < selection.share
}
