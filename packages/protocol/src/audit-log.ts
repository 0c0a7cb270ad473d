/**
 * The audit log as everyone reads it: entries in one chain of hashes. The check of the chain is
 * here, where the store that appends and the command that verifies find the same one; it needs
 * nothing but the entries.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'

/** What an act changed, without secrets and without names of persons: the log can forget nothing. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>

export const auditEntry = z.object({
  /** From 1, without gaps. */
  seq: z.number().int().min(1),
  at: z.number(),
  /** An account; null: the station itself, or a command on its machine. */
  actor: z.string().nullable(),
  act: z.string(),
  subject: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  hash: z.string(),
})

export interface AuditEntry {
  seq: number
  at: number
  actor: string | null
  act: string
  subject: string
  details: AuditDetails
  /** SHA-256 of this entry and of the hash before it. */
  hash: string
}

export interface AuditPage {
  entries: AuditEntry[]
  /** To be given as `after` for the next page; null at the end. */
  next: number | null
}

/** What stands before the first entry. */
export const AUDIT_START = '0'.repeat(64)

/** An array has one order and one spelling; `details` keeps the order in which it was written. */
export function auditHash(entry: Omit<AuditEntry, 'hash'>, previous: string): string {
  const { seq, at, actor, act, subject, details } = entry
  const text = JSON.stringify([previous, seq, at, actor, act, subject, JSON.stringify(details)])
  return createHash('sha256').update(text).digest('hex')
}

export type AuditFault =
  /** Entries between this one and the one before it are missing, or it stands in another place. */
  | 'misplaced'
  /** It is not what was written, or something before it is not. */
  | 'changed'

export interface AuditVerdict {
  isIntact: boolean
  /** Entries that are what was written. */
  entries: number
  /** Of the last of these; to be kept elsewhere, because a log that lost its end looks whole. */
  head: string
  /** The first entry that is not what was written. */
  broken: { seq: number; why: AuditFault } | null
  /** A head that was kept elsewhere and that the log does not have: its end was cut off or written again. */
  missingHead: string | null
}

/** Follows the chain entry by entry; after the first broken one nothing can be said of the others. */
export class AuditVerifier {
  #entries = 0
  #head = AUDIT_START
  #broken: AuditVerdict['broken'] = null
  readonly #wantedHead: string | null
  #hasHead: boolean

  /** `wantedHead`: a head that was kept elsewhere. */
  constructor(wantedHead: string | null = null) {
    this.#wantedHead = wantedHead?.toLowerCase() ?? null
    this.#hasHead = wantedHead === null || this.#wantedHead === AUDIT_START
  }

  add(entry: AuditEntry): void {
    if (this.#broken !== null) return
    const { seq, hash } = entry
    if (seq !== this.#entries + 1) this.#broken = { seq, why: 'misplaced' }
    else if (auditHash(entry, this.#head) !== hash) this.#broken = { seq, why: 'changed' }
    else {
      this.#entries = seq
      this.#head = hash
      if (hash === this.#wantedHead) this.#hasHead = true
    }
  }

  verdict(): AuditVerdict {
    const missingHead = this.#hasHead ? null : this.#wantedHead
    return {
      isIntact: this.#broken === null && missingHead === null,
      entries: this.#entries,
      head: this.#head,
      broken: this.#broken,
      missingHead,
    }
  }
}
