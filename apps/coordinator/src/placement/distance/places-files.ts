/**
 * The operator's files: where hosts and devices are (`--places`) and which ways packets take
 * (`--routes`). Read when the station starts, and again when they are replaced; a replacement that
 * cannot be read changes nothing. Invalid lines are reported with their numbers, and the others
 * count.
 */
import { readFile } from 'node:fs/promises'
import {
  OperatorPlaces,
  parseHopLists,
  RouteEstimates,
  routesOf,
  type Routes,
} from '@minga/partition'
import type { Clock, MingaError } from '@minga/protocol'
import { fileVersion } from '../../station/geoip.ts'
import { BadPlaceFile } from '../place-errors.ts'

export interface FileText {
  name: string
  text: string
}

/** As they were read: a thread reads them again for itself. */
export interface PlaceTexts {
  places: FileText | null
  routes: readonly FileText[]
}

export const NO_PLACE_TEXTS: PlaceTexts = { places: null, routes: [] }

export interface Gathered {
  operator: OperatorPlaces
  /** Null without traces. */
  routes: { graph: Routes['graph']; estimates: RouteEstimates } | null
  faulty: FaultyFile[]
}

/** A file, the flag that names it, and the first of its lines that do not count. */
interface FaultyFile {
  file: FileText
  flag: string
  faults: readonly MingaError[]
}

interface PlaceFilesParts {
  placesFile: string | null
  routeFiles: readonly string[]
  clock: Clock
  /** Called for lines that do not count, and for replacements that cannot be read. */
  warn: (message: string) => void
}

const LOOK_EVERY_MS = 10_000
/** So many wrong lines are no slips: it is another file. */
const MOST_FAULTS = 100
const FAULTS_TOLD = 5

export class PlaceFiles {
  readonly #parts: PlaceFilesParts
  #texts: PlaceTexts = NO_PLACE_TEXTS
  #read: Gathered = readTexts(NO_PLACE_TEXTS)
  #version = ''
  #nextLookMs = 0

  /** Throws BadPlaceFile when a file is not there or of another kind. */
  static async open(parts: PlaceFilesParts): Promise<PlaceFiles> {
    const files = new PlaceFiles(parts)
    files.#version = await files.#versions()
    await files.#load()
    return files
  }

  private constructor(parts: PlaceFilesParts) {
    this.#parts = parts
  }

  readonly texts = (): PlaceTexts => this.#texts
  readonly gathered = (): Gathered => this.#read

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { clock, warn } = this.#parts
    if (clock.monotonicMs() < this.#nextLookMs) return
    this.#nextLookMs = clock.monotonicMs() + LOOK_EVERY_MS
    const version = await this.#versions()
    if (version === this.#version) return
    // Recorded before the file is read, so that a broken file is reported once.
    this.#version = version
    try {
      await this.#load()
    } catch (error) {
      if (!(error instanceof BadPlaceFile)) throw error
      warn(`${error.message} (${error.code}); the former one is used`)
    }
  }

  async #versions(): Promise<string> {
    const { placesFile, routeFiles } = this.#parts
    const files = [...(placesFile === null ? [] : [placesFile]), ...routeFiles]
    return (await Promise.all(files.map(fileVersion))).join('\n')
  }

  async #load(): Promise<void> {
    const { placesFile, routeFiles, warn } = this.#parts
    const texts = {
      places: placesFile === null ? null : await textOf(placesFile, '--places'),
      routes: await Promise.all(routeFiles.map((file) => textOf(file, '--routes'))),
    }
    const read = readTexts(texts)
    read.faulty.forEach(requireSense)
    const faults = read.faulty.flatMap((file) => file.faults)
    for (const { message, code } of faults.slice(0, FAULTS_TOLD)) warn(`${message} (${code})`)
    const more = faults.length - FAULTS_TOLD
    if (more > 0) warn(`${more} more lines of these files do not count`)
    this.#texts = texts
    this.#read = read
  }
}

async function textOf(file: string, flag: string): Promise<FileText> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw BadPlaceFile.unreadable(file, flag, { cause })
  })
  return { name: file, text }
}

export function readTexts({ places, routes }: PlaceTexts): Gathered {
  const operator = new OperatorPlaces(places?.name ?? '', linesOf(places))
  const lists = routes.map((file) => ({ file, ...parseHopLists(file.name, linesOf(file)) }))
  const faulty: FaultyFile[] = [
    ...(places === null ? [] : [{ file: places, flag: '--places', faults: operator.faults }]),
    ...lists.map(({ file, faults }) => ({ file, flag: '--routes', faults })),
  ]
  const traces = lists.flatMap((list) => list.traces)
  if (traces.length === 0) return { operator, routes: null, faulty }
  const found = routesOf(traces, 'monotone')
  return { operator, routes: { graph: found.graph, estimates: new RouteEstimates(found) }, faulty }
}

/** A file of which nothing counts, or with faults without end, was not meant to be given. */
function requireSense({ file, flag, faults }: FaultyFile): void {
  const [first] = faults
  if (first === undefined) return
  const said = linesOf(file).filter((line) => !/^\s*(#|$)/.test(line)).length
  if (faults.length >= Math.min(said, MOST_FAULTS)) {
    throw BadPlaceFile.meaningless(file.name, flag, first)
  }
}

const linesOf = (file: FileText | null): string[] => file?.text.split(/\r?\n/) ?? []
