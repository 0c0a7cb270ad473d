/** What a monitor found, for people and for spreadsheets, and since when. */
import type { Deviation, UrlFinding } from './compare-places.ts'

export interface RunFindings {
  no: number
  startedAt: number
  endedAt: number | null
  findings: readonly UrlFinding[]
}

export interface PlaceFlag extends Deviation {
  url: string
  consensus: string | null
  /** The run since which it was found without a break. */
  sinceRun: number
}

/** Flags of the last of these runs, which are given oldest first. */
export function flagsOf(runs: readonly RunFindings[]): PlaceFlag[] {
  const last = runs.at(-1)
  if (last === undefined) return []
  return last.findings.flatMap(({ url, consensus, deviations }) =>
    deviations.map((deviation) => ({
      url,
      consensus,
      ...deviation,
      sinceRun: sinceRun(runs, url, deviation),
    })),
  )
}

function sinceRun(runs: readonly RunFindings[], url: string, { place, kind }: Deviation): number {
  let since = runs.at(-1)!.no
  for (const run of runs.toReversed()) {
    const finding = run.findings.find((candidate) => candidate.url === url)
    const isThere = finding?.deviations.some((one) => one.place === place && one.kind === kind)
    if (!isThere) break
    since = run.no
  }
  return since
}

const CSV_HEAD = 'url,place,kind,confirmed,since_run,elsewhere,says'

export function flagsCsv(flags: readonly PlaceFlag[]): string {
  const rows = flags.map(({ url, place, kind, isConfirmed, sinceRun: since, consensus, says }) =>
    [url, place, kind, isConfirmed ? 'yes' : 'no', String(since), consensus ?? '', says]
      .map(csvCell)
      .join(','),
  )
  return [CSV_HEAD, ...rows, ''].join('\r\n')
}

/** A leading =, +, - or @ would be a formula in a spreadsheet. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function findingsText(name: string, runs: readonly RunFindings[]): string {
  const last = runs.at(-1)
  if (last === undefined) return `${name}: no run has ended yet.\n`
  const flags = flagsOf(runs)
  const few = last.findings.filter(({ verdict }) => verdict === 'too-few').length
  const lines = flags.map(
    ({ url, place, kind, isConfirmed, says, sinceRun: since }) =>
      `${isConfirmed ? 'confirmed  ' : 'unconfirmed'}  ${place}  ${kind}: ${says}  ${url}  (since run ${since})`,
  )
  return [
    `${name}, run ${last.no}: ${last.findings.length} addresses, ${flags.length} deviations.`,
    ...lines,
    ...(few > 0 ? [`${few} addresses were seen from too few places to compare.`] : []),
    '',
  ].join('\n')
}
