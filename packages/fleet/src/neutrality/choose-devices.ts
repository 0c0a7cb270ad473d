/** Which devices look for a run: as many of each place as asked for, of different owners first. */
import { createHash } from 'node:crypto'

export interface Candidate {
  device: string
  owner: string
  place: string
}

/** Places of one run: more say nothing that these do not, and each costs the sites requests. */
const PLACES_MAX = 60

/** The seed is the run's own: the same volunteers need not look every time. */
export function chooseDevices(
  candidates: readonly Candidate[],
  { perPlace, seed, most }: { perPlace: number; seed: string; most: number },
): Candidate[] {
  const drawn = candidates.toSorted((a, b) => lot(seed, a.device) - lot(seed, b.device))
  return [...Map.groupBy(drawn, ({ place }) => place)]
    .toSorted(([a], [b]) => lot(seed, a) - lot(seed, b))
    .slice(0, PLACES_MAX)
    .flatMap(([, ofPlace]) => ownersApart(ofPlace).slice(0, perPlace))
    .slice(0, most)
}

/** Two devices of one owner are one witness: the first of each owner stand before the second ones. */
function ownersApart(candidates: readonly Candidate[]): Candidate[] {
  const nth = new Map<string, number>()
  return candidates
    .map((candidate) => {
      const before = nth.get(candidate.owner) ?? 0
      nth.set(candidate.owner, before + 1)
      return { candidate, before }
    })
    .toSorted((a, b) => a.before - b.before)
    .map(({ candidate }) => candidate)
}

function lot(seed: string, name: string): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE(0)
}
