/** Who links to whom, as cells of a heat map: the darker, the more links. Links inside an agent's own hosts are apart. */
import type { PlacementExchange } from '@minga/protocol'

export interface ExchangeCell {
  from: number
  to: number
  links: number
  isOwn: boolean
  /** From 0 to 1 among the cells of its kind. */
  heat: number
}

export function cellsOf({ links }: PlacementExchange): ExchangeCell[] {
  const cells = links.flatMap((row, from) =>
    row.map((count, to) => ({ from, to, links: count, isOwn: from === to })),
  )
  const most = (isOwn: boolean): number =>
    Math.max(1, ...cells.filter((cell) => cell.isOwn === isOwn).map((cell) => cell.links))
  const [own, between] = [most(true), most(false)]
  // By the root: a few busy pairs would leave all others white.
  return cells.map((cell) => ({
    ...cell,
    heat: Math.sqrt(cell.links / (cell.isOwn ? own : between)),
  }))
}

export interface ExchangeSums {
  own: number
  between: number
}

export function sumsOf({ links }: PlacementExchange): ExchangeSums {
  const sums = { own: 0, between: 0 }
  for (const { isOwn, links: count } of cellsOf({ devices: [], links })) {
    sums[isOwn ? 'own' : 'between'] += count
  }
  return sums
}
