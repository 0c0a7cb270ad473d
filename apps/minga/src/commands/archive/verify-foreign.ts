/**
 * Revisits of WARC files that are not in the archive: no table lists what they refer to, so the
 * files are compared with themselves.
 *
 * Memory stays the same for files of any size. Every capture and every reference becomes a short
 * line in a temporary file, filed under what it is found by; the lines are sorted on disk, 100,000
 * at a time, and a reference then stands directly after the captures that it may mean. Only those
 * captures are in memory at once, and no more than `HELD_MAX` of them.
 */
import { cdxjTimestamp, referenceOf, writeSortedLines, type WarcRecord } from '@minga/archive'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Findings } from './findings.ts'
import { appendTo, readLines } from './folder.ts'
import { judgeReference, type ReferenceProblem, type ReferredCapture } from './verify-revisit.ts'

interface HeldCapture extends ReferredCapture {
  /** Milliseconds since 1970; null when the record names no date. */
  at: number | null
}

interface Reference {
  file: string
  offset: number
  /** Describes the revisit itself, for the message. */
  capture: string
  digest: string
  id: string | null
  /** The moment that it refers to; null when it refers by identifier alone. */
  at: number | null
}

interface JudgedReference {
  file: string
  offset: number
  code: ReferenceProblem
  message: string
}

/** Lines are appended to the temporary file in pieces of about this size. */
const PENDING_CHARACTERS = 256 * 1024
/** A file with more captures of one address in one second was made to fill the memory. */
const HELD_MAX = 1_000
/** Addresses of a megabyte exist; the start says which one is meant. */
const SHOWN_CHARACTERS = 500

const FIX = 'Import the file, then run `minga archive repair`.'
const MESSAGES: Record<ReferenceProblem, string> = {
  'revisit-of-revisit': `refers to another revisit. ${FIX}`,
  'revisit-wrong': `refers to a response that does not hold its payload. ${FIX}`,
  'revisit-dangling':
    'refers to a response that is not in the file. Check it together with the file that holds its payload.',
}

export class FileReferences {
  readonly #folder: string
  readonly #unsorted: string
  #pending = ''
  #hasRevisits = false

  /** The folder is for temporary files; the caller removes it. */
  constructor(folder: string) {
    this.#folder = folder
    this.#unsorted = join(folder, 'unsorted')
  }

  async add(file: string, record: WarcRecord): Promise<void> {
    const kind = kindOf(record)
    if (kind === null) return
    const url = record.headers.uri('WARC-Target-URI') ?? null
    const at = toInstant(record.headers.get('WARC-Date'))
    const recordId = record.headers.uri('WARC-Record-ID') ?? null
    const digest = record.headers.get('WARC-Payload-Digest') ?? '-'
    const held: HeldCapture = { kind, digest, recordId, at }
    if (url !== null && at !== null) this.#note(placeKey(url, at), HELD, held)
    if (recordId !== null) this.#note(idKey(recordId), HELD, held)
    if (kind === 'revisit') {
      const when = at === null ? '' : ` of ${cdxjTimestamp(at)}`
      const capture = `${url?.slice(0, SHOWN_CHARACTERS) ?? 'no address'}${when}`
      this.#noteReference({ file, offset: record.offset, capture, digest }, record)
    }
    if (this.#pending.length >= PENDING_CHARACTERS) await this.#write()
  }

  /** By address and date, as replay tools do; by identifier when one of the two is missing. */
  #noteReference(
    revisit: Pick<Reference, 'file' | 'offset' | 'capture' | 'digest'>,
    { headers }: WarcRecord,
  ): void {
    const { url, at } = referenceOf(headers)
    const id = headers.uri('WARC-Refers-To') ?? null
    if (url !== null && at !== null) {
      this.#note(placeKey(url, at), REFERENCE, { ...revisit, id, at })
    } else if (id !== null) {
      this.#note(idKey(id), REFERENCE, { ...revisit, id, at: null })
    } else return
    this.#hasRevisits = true
  }

  #note(key: string, role: string, about: HeldCapture | Reference): void {
    this.#pending += `${key} ${role} ${JSON.stringify(about)}\n`
  }

  async #write(): Promise<void> {
    await appendTo(this.#unsorted, Buffer.from(this.#pending))
    this.#pending = ''
  }

  /** Adds a finding per reference that replay tools could not follow, in the order of the files. */
  async judge(findings: Findings): Promise<void> {
    if (!this.#hasRevisits) return
    await this.#write()
    const byKey = await this.#sorted('by-key', readLines(this.#unsorted))
    const byPlace = await this.#sorted('by-place', problemLines(byKey))
    for await (const line of byPlace) {
      const problem = JSON.parse(line.slice(line.indexOf('{'))) as JudgedReference
      // A file that others made may refer to one that is elsewhere.
      const severity = problem.code === 'revisit-dangling' ? 'warning' : 'error'
      await findings.add({ severity, ...problem })
    }
  }

  async #sorted(name: string, lines: AsyncIterable<string>): Promise<AsyncIterable<string>> {
    const path = join(this.#folder, name)
    await writeSortedLines(path, lines)
    return readLines(path)
  }
}

/** Captures come before the references of the same key. */
const HELD = '0'
const REFERENCE = '1'

/** Null for records that are no captures. */
function kindOf({ type }: WarcRecord): ReferredCapture['kind'] | null {
  if (type === 'revisit') return 'revisit'
  return type === 'response' || type === 'resource' ? 'response' : null
}

function toInstant(date: string | undefined): number | null {
  const at = Date.parse(date ?? '')
  return Number.isNaN(at) ? null : at
}

/** Dates of WARC/1.0 end with the second, so captures are found by it. */
function placeKey(url: string, at: number): string {
  return `place-${hash('sha256', URL.parse(url)?.href ?? url)}-${Math.floor(at / 1_000)}`
}

function idKey(id: string): string {
  return `id-${hash('sha256', id)}`
}

async function* problemLines(byKey: AsyncIterable<string>): AsyncGenerator<string> {
  let key = ''
  let held: HeldCapture[] = []
  for await (const line of byKey) {
    const [itsKey = '', role] = line.split(' ', 2)
    if (itsKey !== key) held = []
    key = itsKey
    const json = line.slice(line.indexOf('{'))
    if (role === HELD) {
      if (held.length < HELD_MAX) held.push(JSON.parse(json) as HeldCapture)
      continue
    }
    // The capture that it means may be one of those that were not held.
    if (held.length === HELD_MAX) continue
    const reference = JSON.parse(json) as Reference
    const code = judgeReference(
      reference,
      held.filter((one) => isMeant(one, reference)),
    )
    if (code) yield problemLine(reference, code)
  }
}

function isMeant(held: HeldCapture, { at }: Reference): boolean {
  return at === null || at % 1_000 === 0 || held.at === at
}

function problemLine({ file, offset, capture }: Reference, code: ReferenceProblem): string {
  const message = `The capture of ${capture} ${MESSAGES[code]}`
  const problem: JudgedReference = { file, offset, code, message }
  return `${JSON.stringify(file)} ${String(offset).padStart(16, '0')} ${JSON.stringify(problem)}`
}
