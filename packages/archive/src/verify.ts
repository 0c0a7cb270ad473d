/**
 * Is a WARC file what it says it is? Every digest is recomputed while the file streams past,
 * so files of any size are checked in the memory of one record.
 */

import type { Hash } from 'node:crypto'
import { readChunks } from './archive-files.ts'
import { newHash, parseDigest, type LabelledDigest } from './digest.ts'
import { parseHttpBlock } from './http-block.ts'
import type { RecordHead } from './record-head.ts'
import { findHeadEnd } from './header-lines.ts'
import { readRecords, type WarcDamage, type WarcRecord } from './warc-reader.ts'

export type FindingCode =
  | WarcDamage['damage']['code']
  | 'block-digest'
  | 'payload-digest'
  | 'unknown-digest'
  | 'missing-field'
  | 'revisit-target'
  | 'shared-member'
  | 'no-warcinfo'

export interface Finding {
  /** Errors mean that something is lost or false; warnings, that other tools may stumble. */
  severity: 'error' | 'warning'
  offset: number
  code: FindingCode
  message: string
}

export async function* verifyWarc(file: string): AsyncGenerator<Finding> {
  yield* verifyRecords(readChunks(file))
}

/** The same for bytes from anywhere. */
export async function* verifyRecords(
  source: AsyncIterable<Uint8Array> | Uint8Array,
  /** Receives every whole record; it is awaited, so that a slow disk holds the reading back. */
  see?: (record: WarcRecord) => void | Promise<void>,
): AsyncGenerator<Finding> {
  let digests = new RecordDigests(null)
  let records = 0
  const inspect = (head: RecordHead): ((piece: Buffer) => void) => {
    digests = new RecordDigests(head)
    return (piece) => digests.see(piece)
  }
  let sharedSeen = false
  for await (const item of readRecords(source, { inspect })) {
    if ('damage' in item) {
      yield { severity: 'error', ...item.damage }
      continue
    }
    if (records++ === 0 && item.type !== 'warcinfo') {
      yield warning(item, 'no-warcinfo', 'The file does not start with a warcinfo record.')
    }
    if (item.storage === 'shared-member' && !sharedSeen) {
      sharedSeen = true
      yield warning(
        item,
        'shared-member',
        'Several records share one gzip member; import the file to repack it.',
      )
    }
    yield* checkFields(item)
    yield* digests.check(item)
    await see?.(item)
  }
}

const REQUIRED = ['WARC-Type', 'WARC-Record-ID', 'WARC-Date']
const REFERRED = ['WARC-Refers-To-Target-URI', 'WARC-Refers-To-Date']

function* checkFields(record: WarcRecord): Generator<Finding> {
  for (const name of REQUIRED) {
    if (!record.headers.get(name))
      yield error(record, 'missing-field', `The record has no ${name}.`)
  }
  const date = record.headers.get('WARC-Date')
  if (date && Number.isNaN(Date.parse(date))) {
    yield error(record, 'missing-field', `The record's WARC-Date is not a date: ${date}.`)
  }
  if (record.type !== 'revisit') return
  if (!record.headers.get('WARC-Profile')) {
    yield error(record, 'missing-field', 'The revisit has no WARC-Profile.')
  }
  for (const name of REFERRED) {
    if (record.headers.get(name)) continue
    yield warning(
      record,
      'revisit-target',
      `The revisit has no ${name}; replay tools cannot resolve it.`,
    )
  }
}

type Claim = 'WARC-Block-Digest' | 'WARC-Payload-Digest'

/** The hashes of one record while its block goes by. */
class RecordDigests {
  readonly #head: RecordHead | null
  readonly #block: Check | null
  readonly #payload: Check | null
  /** Bytes of the HTTP head until its end is found. */
  #pending: Buffer | null

  constructor(head: RecordHead | null) {
    this.#head = head
    this.#block = newCheck(head, 'WARC-Block-Digest')
    // A revisit names the payload of another record.
    this.#payload = head?.type === 'revisit' ? null : newCheck(head, 'WARC-Payload-Digest')
    const isHttp = /^application\/http\b/i.test(head?.headers.get('Content-Type') ?? '')
    this.#pending = isHttp ? Buffer.alloc(0) : null
  }

  see(piece: Buffer): void {
    this.#block?.hash.update(piece)
    if (!this.#payload) return
    if (this.#pending === null) {
      this.#payload.hash.update(piece)
      return
    }
    const sofar = Buffer.concat([this.#pending, piece])
    const end = findHeadEnd(sofar)
    this.#pending = end || sofar.length > LONGEST_HTTP_HEAD_BYTES ? null : sofar
    if (end) this.#payload.hash.update(sofar.subarray(end.bodyAt))
  }

  *check(record: WarcRecord): Generator<Finding> {
    yield* unknownDigests(record, this.#head)
    if (this.#block && !matches(this.#block)) {
      yield error(record, 'block-digest', 'The block does not match its WARC-Block-Digest.')
    }
    if (
      this.#payload &&
      !matches(this.#payload) &&
      !matchesDechunked(this.#payload.claimed, record)
    ) {
      yield error(record, 'payload-digest', 'The payload does not match its WARC-Payload-Digest.')
    }
  }
}

const LONGEST_HTTP_HEAD_BYTES = 1024 * 1024

interface Check {
  claimed: LabelledDigest
  hash: Hash
}

function newCheck(head: RecordHead | null, name: Claim): Check | null {
  const claimed = parseDigest(head?.headers.get(name) ?? '')
  return claimed && { claimed, hash: newHash(claimed) }
}

function matches(check: Check): boolean {
  return check.hash.digest().equals(check.claimed.bytes)
}

/** Tools disagree on whether chunking belongs to the payload (warcio#74): both readings pass. */
function matchesDechunked(claimed: LabelledDigest, record: WarcRecord): boolean {
  const message = record.isWhole ? parseHttpBlock(record.block) : null
  return message !== null && newHash(claimed).update(message.body).digest().equals(claimed.bytes)
}

function* unknownDigests(record: WarcRecord, head: RecordHead | null): Generator<Finding> {
  for (const name of ['WARC-Block-Digest', 'WARC-Payload-Digest'] satisfies Claim[]) {
    const label = head?.headers.get(name)
    if (label && !parseDigest(label)) {
      yield warning(record, 'unknown-digest', `The ${name} is in an unknown form: ${label}.`)
    }
  }
}

function error(record: WarcRecord, code: FindingCode, message: string): Finding {
  return { severity: 'error', offset: record.offset, code, message }
}

function warning(record: WarcRecord, code: FindingCode, message: string): Finding {
  return { severity: 'warning', offset: record.offset, code, message }
}
