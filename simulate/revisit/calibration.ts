/**
 * Do forecasts come true as often as they say? Every forecast is made before the visit that judges
 * it (rolling origin). Brier, "Verification of forecasts expressed in terms of probability", 1950:
 * the mean of (chance − outcome)²; always saying the base rate scores p(1 − p).
 */

const BINS = 10

export interface CalibrationRow {
  /** Forecasts between these chances. */
  from: number
  to: number
  forecasts: number
  meanChance: number
  /** Share of them that found a change. */
  changed: number
}

export class Calibration {
  forecasts = 0
  #squares = 0
  #changed = 0
  readonly #bins = Array.from({ length: BINS }, () => ({ forecasts: 0, chances: 0, changed: 0 }))

  add(chance: number, changed: boolean): void {
    const outcome = changed ? 1 : 0
    this.forecasts++
    this.#squares += (chance - outcome) ** 2
    this.#changed += outcome
    const bin = this.#bins[Math.min(BINS - 1, Math.floor(chance * BINS))]!
    bin.forecasts++
    bin.chances += chance
    bin.changed += outcome
  }

  brier(): number | null {
    return this.forecasts === 0 ? null : this.#squares / this.forecasts
  }

  /** Of always saying the share that came true. */
  baseBrier(): number | null {
    if (this.forecasts === 0) return null
    const share = this.#changed / this.forecasts
    return share * (1 - share)
  }

  rows(): CalibrationRow[] {
    return this.#bins.flatMap(({ forecasts, chances, changed }, i) => {
      if (forecasts === 0) return []
      const [from, to] = [i / BINS, (i + 1) / BINS]
      return [
        { from, to, forecasts, meanChance: chances / forecasts, changed: changed / forecasts },
      ]
    })
  }
}
