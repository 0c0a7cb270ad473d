/** Two epochs of the map side by side. */
import type { PlacementEpoch, PlacementReport } from '@minga/protocol'

export type ComparedFigure = 'cut' | 'exchangeShare' | 'imbalance' | 'latencyMs'

export interface FigureChange {
  figure: ComparedFigure
  before: number | null
  after: number | null
  /** Null when either is not known. */
  change: number | null
}

const FIGURES: readonly ComparedFigure[] = ['cut', 'exchangeShare', 'imbalance', 'latencyMs']

/** What one plan changed. All of these are the better the smaller they are. */
export function changesOf({
  before,
  after,
}: Pick<PlacementReport, 'before' | 'after'>): FigureChange[] {
  return FIGURES.map((figure) => change(figure, before?.[figure] ?? null, after[figure]))
}

/** From one epoch to another, whichever is older first. */
export function changesBetween(one: PlacementEpoch, other: PlacementEpoch): FigureChange[] {
  return FIGURES.map((figure) => change(figure, figureIn(one, figure), figureIn(other, figure)))
}

function figureIn(epoch: PlacementEpoch, figure: ComparedFigure): number | null {
  if (figure === 'cut') return epoch.story?.after.cut ?? null
  return epoch[figure]
}

function change(figure: ComparedFigure, before: number | null, after: number | null): FigureChange {
  return {
    figure,
    before,
    after,
    change: before === null || after === null ? null : after - before,
  }
}

export interface PartChange {
  device: string
  before: number
  after: number
}

/** Hosts by agent in both; who is in one alone has none in the other. */
export function partChanges(one: PlacementEpoch, other: PlacementEpoch): PartChange[] {
  const [a, b] = [one, other].map(
    ({ parts }) => new Map(parts.map(({ device, hosts }) => [device, hosts])),
  )
  const devices = [...new Set([...a!.keys(), ...b!.keys()])].toSorted()
  return devices.map((device) => ({
    device,
    before: a!.get(device) ?? 0,
    after: b!.get(device) ?? 0,
  }))
}

export interface WayCost {
  way: string
  runningMs: number
  migrationMs: number
  totalMs: number
  isChosen: boolean
}

/** The ways that were weighed, the cheapest first. */
export function waysOf(epoch: PlacementEpoch): WayCost[] {
  return Object.entries(epoch.story?.compared ?? {})
    .map(([way, { runningMs, migrationMs }]) => ({
      way,
      runningMs,
      migrationMs,
      totalMs: runningMs + migrationMs,
      isChosen: way === epoch.way,
    }))
    .toSorted((x, y) => x.totalMs - y.totalMs)
}
