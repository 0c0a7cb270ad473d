/**
 * Hosts of a large web and the links between them: communities of power-law sizes, popular hosts first within
 * each, a tenth of the links to anywhere or to hubs that everybody knows. Numbers of hosts are shuffled, so that
 * nothing near in number is near in the web. Columns only: 100 M links are 800 MB.
 */
import { Random } from '@minga/partition'
import { unit } from './world.ts'

export interface LargeGraphRules {
  hosts: number
  links: number
  seed: number
}

const COMMUNITY_LEAST = 20
const COMMUNITY_TAIL = 0.9
const HUBS_PER_HOST = 1 / 2_000
const COMMUNITY_SHARE = 0.9
const HUB_SHARE = 0.05

export function drawLargeGraph(rules: LargeGraphRules): { tails: Int32Array; heads: Int32Array } {
  const { hosts, links } = rules
  const random = new Random(rules.seed)
  const { starts, sizes } = drawCommunities(hosts, random)
  const numbers = Int32Array.from({ length: hosts }, (_, host) => host)
  random.shuffle(numbers)
  const hubs = Math.max(4, Math.floor(hosts * HUBS_PER_HOST))
  const hubGap = Math.floor(hosts / hubs)
  const tails = new Int32Array(links)
  const heads = new Int32Array(links)
  const degree = links / hosts
  let written = 0
  for (let host = 0; host < hosts; host++) {
    // From a third of the mean to three times it; what is left over goes to the last.
    const spread = degree * (1 / 3 + (8 / 3) * unit(random) ** 3)
    const end = host === hosts - 1 ? links : Math.min(links, written + Math.round(spread))
    for (; written < end; written++) {
      tails[written] = numbers[host]!
      heads[written] = numbers[headFrom(host)]!
    }
  }
  return { tails, heads }

  function headFrom(host: number): number {
    const dice = unit(random)
    if (dice < COMMUNITY_SHARE) {
      return starts[host]! + Math.floor(sizes[host]! * unit(random) ** 2)
    }
    if (dice < COMMUNITY_SHARE + HUB_SHARE) return Math.floor(hubs * unit(random) ** 3) * hubGap
    return random.below(hosts)
  }
}

/** By host: where its community begins, and how large it is. */
function drawCommunities(hosts: number, random: Random): { starts: Int32Array; sizes: Int32Array } {
  const starts = new Int32Array(hosts)
  const sizes = new Int32Array(hosts)
  const largest = Math.ceil(hosts / 200)
  for (let host = 0; host < hosts;) {
    const wanted = Math.floor(COMMUNITY_LEAST * unit(random) ** (-1 / COMMUNITY_TAIL))
    const size = Math.min(wanted, largest, hosts - host)
    starts.fill(host, host, host + size)
    sizes.fill(size, host, host + size)
    host += size
  }
  return { starts, sizes }
}
