/** Tables, machine facts and the marked parts of docs/benchmarks.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'

const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url)
const GIB = 1024 ** 3

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length % 2 === 1) return sorted[middle]!
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

export function markdownTable(rows: readonly Record<string, string>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const widths = columns.map((name) =>
    Math.max(name.length, ...rows.map((row) => row[name]!.length)),
  )
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [columns, rule, ...rows.map((row) => columns.map((name) => row[name]!))]
    .map(line)
    .join('\n')
}

export function machineFacts(now: Date): string {
  const cpus = os.cpus()
  const memory = (os.totalmem() / GIB).toFixed(0)
  const load = os.loadavg()[0]!.toFixed(1)
  return (
    `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}, ${memory} GiB, ` +
    `${os.type()} ${os.release()}, Node ${process.versions.node}; ` +
    `${now.toISOString().slice(0, 10)}, load before the run ${load}`
  )
}

/** Whole numbers with thousands apart, small ones with enough digits to compare. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Number.isInteger(value) || Math.abs(value) >= 100)
    return Math.round(value).toLocaleString('en')
  return value.toPrecision(3)
}

/** `5 (1–9)`; just the figure where all print alike, as those of one run do. */
export function medianWithSpread(values: readonly number[]): string {
  const [least, most] = [figure(Math.min(...values)), figure(Math.max(...values))]
  const middle = figure(median(values))
  return least === most ? middle : `${middle} (${least}–${most})`
}

/** Puts `text` between `<!-- part:begin -->` and `<!-- part:end -->`. */
export function writePart(part: string, text: string): void {
  const document = readFileSync(DOCUMENT, 'utf8')
  const [begin, end] = [`<!-- ${part}:begin -->`, `<!-- ${part}:end -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no place marked "${part}".`)
  writeFileSync(
    DOCUMENT,
    `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`,
  )
}

/** The smallest value that so large a share does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
