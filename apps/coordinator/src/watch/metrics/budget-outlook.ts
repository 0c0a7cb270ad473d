/** Budgets around the one in force, each with what it would bring. */
import type { BudgetPoint, BudgetView } from '@minga/protocol'
import type { WhatIf } from '../plan/what-if.ts'
import type { Station } from '../../station/station.ts'

export interface BudgetParts extends Pick<Station, 'store' | 'clock'> {
  /** In force now; null: a visit a day for each address, and bytes cost nothing. */
  budget: () => { visitsPerDay: number | null; visitBytesPerDay: number | null }
}

/** Times the budget in force. */
const FACTORS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 3 / 2, 2, 4, 8, 16]
/** Each budget is a few milliseconds for small stations and a tenth of a second for large ones. */
const REMEMBERED_MS = 60_000

export class BudgetOutlook {
  readonly #parts: BudgetParts
  #known: { untilMs: number; inForce: string; view: Promise<BudgetView> } | null = null

  constructor(parts: BudgetParts) {
    this.#parts = parts
  }

  /** Repeated calls within a minute return the same view, unless the budget was changed. */
  view(): Promise<BudgetView> {
    const nowMs = this.#parts.clock.monotonicMs()
    const inForce = JSON.stringify(this.#parts.budget())
    const known = this.#known
    if (known !== null && known.untilMs > nowMs && known.inForce === inForce) return known.view
    const view = this.#read()
    this.#known = { untilMs: nowMs + REMEMBERED_MS, inForce, view }
    // A failed view is not remembered.
    view.catch(() => (this.#known = null))
    return view
  }

  /** One after the other: the store has other work in between. */
  async #read(): Promise<BudgetView> {
    const { visitsPerDay, visitBytesPerDay } = this.#parts.budget()
    const now = await this.#whatIf(visitsPerDay, visitBytesPerDay)
    const { urls, urlsLeftOut } = now
    const points: BudgetPoint[] = []
    for (const factor of urls === 0 ? [] : FACTORS) {
      const budget = factor * now.point.visitsPerDay
      const bytes = visitBytesPerDay === null ? null : factor * visitBytesPerDay
      points.push(factor === 1 ? now.point : (await this.#whatIf(budget, bytes)).point)
    }
    const isDefault = visitsPerDay === null
    return { visitsPerDay: now.point.visitsPerDay, isDefault, urls, urlsLeftOut, points }
  }

  #whatIf(visitsPerDay: number | null, bytesPerDay: number | null): Promise<WhatIf> {
    return this.#parts.store.call('whatIf', { visitsPerDay, bytesPerDay })
  }
}
