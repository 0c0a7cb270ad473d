/** What a check of the archive found, said as it is found. */
import type { Finding } from '@minga/archive'
import { systemClock } from '@minga/protocol'
import type { Output } from './output.ts'

export type ArchiveFindingCode =
  | Finding['code']
  | 'missing-file'
  | 'short-file'
  | 'uncommitted-tail'
  | 'unindexed-file'
  | 'unfinished-import'
  | 'database'
  | 'capture-lost'
  | 'capture-differs'
  | 'revisit-of-revisit'
  | 'revisit-dangling'
  | 'revisit-wrong'
  | 'index-missing'
  | 'index-order'
  | 'index-differs'

export interface ArchiveFinding {
  severity: 'error' | 'warning'
  file: string
  /** Where in the file; 0 when it is about the whole. */
  offset: number
  code: ArchiveFindingCode
  message: string
}

/** A torn disk loses thousands of captures in one way; the first tell the story. */
const SHOWN_PER_CODE = 100
const PROGRESS_EVERY_MS = 10_000
const PROGRESS_ON_TERMINAL_MS = 200

export class Findings {
  readonly #output: Output
  readonly #asJson: boolean
  readonly #counts = new Map<ArchiveFindingCode, number>()
  readonly #kept: ArchiveFinding[] = []
  #toldAtMs = systemClock.monotonicMs()
  errors = 0
  warnings = 0
  /** Records that were taken down: no damage. */
  tombstones = 0

  constructor(output: Output, asJson: boolean) {
    this.#output = output
    this.#asJson = asJson
  }

  async add(finding: ArchiveFinding): Promise<void> {
    const count = (this.#counts.get(finding.code) ?? 0) + 1
    this.#counts.set(finding.code, count)
    if (finding.severity === 'error') this.errors++
    else this.warnings++
    if (count > SHOWN_PER_CODE) return
    this.#kept.push(finding)
    if (this.#asJson) return
    const { file, offset, code, message } = finding
    const line = `${finding.severity}: ${file}, offset ${offset}: ${code}: ${message}\n`
    if (finding.severity === 'error') await this.#output.write(line)
    else process.stderr.write(line)
  }

  /** Now and then: what is being looked at. */
  progress(text: string): void {
    const isTerminal = process.stderr.isTTY ?? false
    const now = systemClock.monotonicMs()
    const everyMs = isTerminal ? PROGRESS_ON_TERMINAL_MS : PROGRESS_EVERY_MS
    if (now - this.#toldAtMs < everyMs) return
    this.#toldAtMs = now
    process.stderr.write(isTerminal ? `\r\u001B[2K${text}` : `minga: ${text}\n`)
  }

  async end(facts: { files: number; captures: number }): Promise<void> {
    if (process.stderr.isTTY) process.stderr.write('\r\u001B[2K')
    const { errors, warnings, tombstones } = this
    const result = { ok: errors === 0, ...facts, errors, warnings, tombstones }
    if (this.#asJson) {
      await this.#output.write(`${JSON.stringify({ ...result, findings: this.#kept })}\n`)
      return
    }
    for (const [code, count] of this.#counts) {
      if (count > SHOWN_PER_CODE)
        await this.#output.write(`… and ${count - SHOWN_PER_CODE} more: ${code}\n`)
    }
    const verdict = errors === 0 ? 'everything agrees' : `${errors} damaged`
    const removed = tombstones === 0 ? '' : `, ${tombstones} tombstones`
    process.stderr.write(
      `minga: ${facts.files} files, ${facts.captures} captures: ${verdict}, ${warnings} warnings${removed}\n`,
    )
  }
}
