/** Progress of a collection: a bar on a terminal, a line every ten seconds elsewhere. */
import type { CollectionStatus } from '@minga/protocol'

const LINE_EVERY_MS = 10_000
const BAR_WIDTH = 24
/** The rate looks this far back: shorter jitters, longer lags. */
const RATE_WINDOW_MS = 10_000

export interface ProgressScreen {
  isTerminal: boolean
  columns: number
  write(text: string): void
}

export class Progress {
  readonly #screen: ProgressScreen
  #samples: { at: number; done: number }[] = []
  #lastLineAt: number

  constructor(screen: ProgressScreen, now: number) {
    this.#screen = screen
    this.#lastLineAt = now
  }

  show(status: CollectionStatus, now: number): void {
    this.#sample(status, now)
    if (this.#screen.isTerminal) {
      const line = this.#line(status).slice(0, this.#screen.columns - 1)
      this.#screen.write(`\r\u001B[2K${line}`)
    } else if (now - this.#lastLineAt >= LINE_EVERY_MS) {
      this.#lastLineAt = now
      this.#screen.write(`${this.#line(status)}\n`)
    }
  }

  end(): void {
    if (this.#screen.isTerminal) this.#screen.write('\r\u001B[2K')
  }

  #sample(status: CollectionStatus, now: number): void {
    this.#samples.push({ at: now, done: doneOf(status) })
    while (this.#samples.length > 2 && now - this.#samples[0]!.at > RATE_WINDOW_MS) {
      this.#samples.shift()
    }
  }

  #line(status: CollectionStatus): string {
    const done = doneOf(status)
    const toDo = Math.max(0, status.queued - status.leased)
    const share = status.found === 0 ? 0 : done / status.found
    const filled = Math.round(share * BAR_WIDTH)
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
    const rate = this.#rate()
    const eta = rate > 0 ? formatSeconds(status.queued / rate) : '–'
    const errors = topErrors(status)
    return (
      `${bar} ${done} done · ${status.leased} out · ${toDo} to do · ${rate.toFixed(1)}/s · ` +
      `ETA ${eta} · ${formatBytes(status.bytes)}${errors}`
    )
  }

  #rate(): number {
    const first = this.#samples[0]
    const last = this.#samples.at(-1)
    if (!first || !last || last.at === first.at) return 0
    return ((last.done - first.done) * 1_000) / (last.at - first.at)
  }
}

function doneOf(status: CollectionStatus): number {
  return status.found - status.queued
}

function topErrors(status: CollectionStatus): string {
  const kinds = Object.entries(status.errors).slice(0, 3)
  if (kinds.length === 0) return ''
  return ` · ${kinds.map(([code, count]) => `${count} ${readable(code)}`).join(', ')}`
}

/** `MINGA_ROBOTS_DENIED` → `robots denied`. */
export function readable(code: string): string {
  return code
    .replace(/^MINGA_/, '')
    .replaceAll('_', ' ')
    .toLowerCase()
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}

export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–'
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}
