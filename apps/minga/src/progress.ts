/** Progress of long work: a bar on a terminal, a line every ten seconds elsewhere. */

const LINE_EVERY_MS = 10_000
const BAR_WIDTH = 24
/** The rate looks this far back: shorter jitters, longer lags. */
const RATE_WINDOW_MS = 10_000

export interface Figures {
  done: number
  /** With agents at this moment; null where it is not counted. */
  out: number | null
  toDo: number
  bytes: number
  /** How often each kind of error happened, the most frequent first. */
  errors: Readonly<Record<string, number>>
}

export interface ProgressScreen {
  isTerminal: boolean
  columns: number
  write(text: string): void
}

/** Standard error, where messages and progress belong. */
export function errorScreen(): ProgressScreen {
  return {
    isTerminal: process.stderr.isTTY ?? false,
    columns: process.stderr.columns ?? 80,
    write: (text) => void process.stderr.write(text),
  }
}

/** A line that says how far something is, in place of the one before it. */
export class ProgressLine {
  readonly #screen: ProgressScreen
  #lastLineAt: number

  constructor(screen: ProgressScreen, now: number) {
    this.#screen = screen
    this.#lastLineAt = now
  }

  show(text: string, now: number): void {
    if (this.#screen.isTerminal) {
      this.#screen.write(`\r\u001B[2K${text.slice(0, this.#screen.columns - 1)}`)
    } else if (now - this.#lastLineAt >= LINE_EVERY_MS) {
      this.#lastLineAt = now
      this.#screen.write(`${text}\n`)
    }
  }

  end(): void {
    if (this.#screen.isTerminal) this.#screen.write('\r\u001B[2K')
  }
}

export class Progress {
  readonly #shown: ProgressLine
  #samples: { at: number; done: number }[] = []

  constructor(screen: ProgressScreen, now: number) {
    this.#shown = new ProgressLine(screen, now)
  }

  show(figures: Figures, now: number): void {
    this.#sample(figures.done, now)
    this.#shown.show(this.#line(figures), now)
  }

  end(): void {
    this.#shown.end()
  }

  #sample(done: number, now: number): void {
    this.#samples.push({ at: now, done })
    while (this.#samples.length > 2 && now - this.#samples[0]!.at > RATE_WINDOW_MS) {
      this.#samples.shift()
    }
  }

  #line({ done, out, toDo, bytes, errors }: Figures): string {
    const left = toDo + (out ?? 0)
    const share = done + left === 0 ? 0 : done / (done + left)
    const filled = Math.round(share * BAR_WIDTH)
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
    const rate = this.#rate()
    const eta = rate > 0 ? formatSeconds(left / rate) : '–'
    return (
      `${bar} ${done} done · ${out === null ? '' : `${out} in progress · `}${toDo} queued · ` +
      `${rate.toFixed(1)}/s · ETA ${eta} · ${formatBytes(bytes)}${topErrors(errors)}`
    )
  }

  #rate(): number {
    const first = this.#samples[0]
    const last = this.#samples.at(-1)
    if (!first || !last || last.at === first.at) return 0
    return ((last.done - first.done) * 1_000) / (last.at - first.at)
  }
}

function topErrors(errors: Figures['errors']): string {
  const kinds = Object.entries(errors).slice(0, 3)
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
