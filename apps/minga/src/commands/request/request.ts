/** `minga request`: a client's batch, from a list of addresses to a line per result. */
import { createWriteStream, type WriteStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import {
  PRIORITIES,
  systemClock,
  type BatchView,
  type Priority,
  type ResultLine,
} from '@minga/protocol'
import { Option, type Command } from 'commander'
import { requireAllowed, typedBatch } from '../../addresses.ts'
import { remoteApi, type Api } from '../../api.ts'
import { BadOption } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import { Interrupts } from '../../interrupts.ts'
import type { Run } from '../../run-program.ts'
import {
  addOwnStationOptions,
  dataOption,
  insecureOption,
  stationOption,
  warnAboutPrivateAddresses,
  wholeNumber,
  type OwnStationOptions,
} from '../../options.ts'
import { STANDARD_OUTPUT, requireFile, writingTo } from '../../output-place.ts'
import { Progress, errorScreen, formatBytes, formatSeconds } from '../../progress.ts'
import {
  patiently,
  reachStation,
  reached,
  throughStation,
  type ReachedStation,
} from '../../reach-station.ts'
import { batchOutcome, openBatches, type OpenBatches, type Totals } from './batches.ts'
import { readUrls } from './list.ts'

export interface RequestOptions extends OwnStationOptions {
  file?: string
  out?: string
  warc?: string
  station?: string
  key?: string
  insecure?: boolean
  priority: Priority
  maxAge?: number
  delay?: number
  json?: boolean
}

const EXAMPLES = `
Examples:
  minga request https://example.org/ https://example.net/
  minga request --file urls.txt --out results.jsonl
  minga request --file urls.txt --out results.jsonl --warc results.warc.gz
  minga request --file urls.txt --station https://station.example --key "$KEY" --out results.jsonl

A line of the file is an address; empty lines and lines that begin with # are skipped. Interrupted,
the same command continues the same batch. Exit code 0 means that every request has ended, 1 that
nothing was captured.
`

export function requestCommand(program: Command, run: Run): void {
  const command = program
    .command('request')
    .argument('[url...]', 'addresses to fetch')
    .description("fetch a list of addresses through a station's agents")
    .option('--file <file>', 'one address per line, - for standard input')
    .option(
      '--out <file>',
      'write results here, a JSON object per line (default, and -: standard output)',
    )
    .option('--warc <file>', 'also write the captures as one WARC file')
    .addOption(stationOption('whose agents to use'))
    .addOption(insecureOption())
    .addOption(new Option('--key <key>', "the station's API key").env('MINGA_KEY'))
    .addOption(
      new Option('--priority <priority>', 'before or after others')
        .choices(PRIORITIES)
        .default('normal'),
    )
    .option(
      '--max-age <s>',
      'accept captures up to this age instead of fetching (0: always fetch)',
      wholeNumber('--max-age'),
    )
    .addOption(dataOption())
    .option(
      '--delay <ms>',
      'pause between requests to a host, if no station runs yet',
      wholeNumber('--delay'),
    )
  addOwnStationOptions(command)
    .option('--json', 'print the totals as one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run((urls: string[], options: RequestOptions) => request(urls, options)))
}

const POLL_MS = 250

async function request(given: string[], options: RequestOptions): Promise<number> {
  const startedMs = systemClock.monotonicMs()
  const typed = [...given, ...(options.file === undefined ? [] : await readUrls(options.file))]
  if (typed.length === 0) throw new BadOption('request', 'at least one address, or --file', 'none')
  const urls = typedBatch('request', typed)
  // In a list each has a result of its own, also when it is refused.
  if (urls.length === 1) await requireAllowed(urls, options)
  await requirePlaces(options)
  return throughStation(
    () => reach(options),
    (station) => requestThrough(station, { urls, options, startedMs }),
  )
}

/** Asked before anything is fetched: what came could not be written. */
async function requirePlaces({ out, warc, json }: RequestOptions): Promise<void> {
  if (out === STANDARD_OUTPUT && json) throw new BadOption('--out', 'a file with --json', out)
  if (out !== undefined && out !== STANDARD_OUTPUT) await requireFile('--out', out)
  if (warc !== undefined) await requireFile('--warc', warc)
}

async function requestThrough(
  station: ReachedStation,
  { urls, options, startedMs }: { urls: string[]; options: RequestOptions; startedMs: number },
): Promise<number> {
  const interrupts = new Interrupts(station.kill)
  try {
    const batches = await openBatches(station, urls, options)
    const results = await openResults(options)
    const isEnded = await follow(station, { batches, results, signal: interrupts.signal })
    if (isEnded && options.warc !== undefined) await results.writeWarc(station.api, batches.ids)
    await results.close()
    if (isEnded) await batches.forget()
    await station.stop()
    const seconds = (systemClock.monotonicMs() - startedMs) / 1_000
    const totals = batches.totals()
    report(totals, { seconds, isEnded, options })
    if (!isEnded) return EXIT.interrupted
    return batchOutcome(totals) === 'failed' ? EXIT.error : EXIT.ok
  } finally {
    await station.stop()
    interrupts.end()
  }
}

async function reach(options: RequestOptions): Promise<ReachedStation> {
  if (options.station === undefined) {
    warnAboutPrivateAddresses(options.allowPrivateAddresses)
    const { delay } = options
    return reachStation({ ...options, ...(delay === undefined ? {} : { requestDelayMs: delay }) })
  }
  return reached(remoteApi({ ...options, station: options.station }))
}

interface Following {
  batches: OpenBatches
  results: ResultsFile
  signal: AbortSignal
}

/** Writes results as they come; answers whether everything has ended. */
async function follow(
  station: ReachedStation,
  { batches, results, signal }: Following,
): Promise<boolean> {
  const { api } = station
  const progress = new Progress(errorScreen(), systemClock.monotonicMs())
  for (const id of batches.ids) {
    for (;;) {
      const batch = await patiently(station, () => api.get<BatchView>(`/batches/${id}`))
      batches.note(batch)
      await patiently(station, () => results.take(api, batch))
      progress.show(batches.figures(), systemClock.monotonicMs())
      if (batch.open === 0 && batch.state !== 'filling') break
      if (signal.aborted) {
        progress.end()
        return false
      }
      await systemClock.sleep(POLL_MS, signal)
    }
  }
  progress.end()
  return true
}

interface RunFacts {
  seconds: number
  isEnded: boolean
  options: RequestOptions
}

const ENDS = {
  complete: 'complete',
  'with-errors': 'finished with errors',
  failed: 'failed, nothing was captured; the results name the reasons',
} as const

function report(totals: Totals, facts: RunFacts): void {
  const { seconds, isEnded, options } = facts
  const outcome = isEnded ? batchOutcome(totals) : null
  if (options.json) {
    const all = { ...totals, outcome, seconds: Number(seconds.toFixed(3)) }
    process.stdout.write(`${JSON.stringify(all)}\n`)
    return
  }
  const { total, captured, failed, denied, cancelled, fromCache, bytes } = totals
  process.stderr.write(
    `\n${total} requests, ${formatBytes(bytes)} in ${formatSeconds(seconds)}: ` +
      `${outcome === null ? 'stopped; run it again to continue' : ENDS[outcome]}\n` +
      `  ${captured} captured (${fromCache} from the archive), ${failed} failed, ` +
      `${denied} denied, ${cancelled} cancelled\n`,
  )
}

/** Results read at a time. */
const PAGE = 5_000

interface ResultsFile {
  /** Writes what is new of a batch. */
  take(api: Api, batch: BatchView): Promise<void>
  writeWarc(api: Api, ids: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Results as they come: a JSON object per line, in a file or on standard output. */
async function openResults(options: RequestOptions): Promise<ResultsFile> {
  const { out = STANDARD_OUTPUT, warc } = options
  const file = out === STANDARD_OUTPUT ? null : await writingTo(out, () => open(out, 'w'))
  const read = new Map<string, number>()
  // With --json the totals are all that standard output carries.
  const write = writerOf(file, options.json ?? false)
  return {
    take: async (api, { id, total, open: left }) => {
      for (;;) {
        const after = read.get(id) ?? 0
        if (after >= total - left) return
        const { body } = await api.read(`/batches/${id}/results?after=${after}&limit=${PAGE}`)
        const lines = body.toString()
        if (lines === '') return
        await writingTo(out, () => write(lines))
        const last = JSON.parse(lines.trimEnd().split('\n').at(-1)!) as ResultLine
        read.set(id, last.no)
      }
    },
    writeWarc: (api, ids) => writingTo(warc!, () => writeWarc(api, ids, createWriteStream(warc!))),
    close: async () => {
      // A pipe or a device has nothing to bring to disk.
      if ((await file?.stat())?.isFile()) await file?.sync()
      await file?.close()
    },
  }
}

function writerOf(file: FileHandle | null, isSilent: boolean): (lines: string) => Promise<unknown> {
  if (file !== null) return (lines) => file.writeFile(lines)
  return async (lines) => (isSilent ? undefined : process.stdout.write(lines))
}

async function writeWarc(api: Api, ids: readonly string[], file: WriteStream): Promise<void> {
  const parts = async function* (): AsyncGenerator<Buffer> {
    for (const id of ids) yield (await api.read(`/batches/${id}/warc`)).body
  }
  await pipeline(Readable.from(parts()), file)
}
