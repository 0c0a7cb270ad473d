/** XML as people and old programs write it: whatever can be read is read, and what is wrong is reported. */
import { SaxesParser } from 'saxes'

/** A longer list would not be read. */
const REPORTS_MAX = 100

/** saxes makes an Error with a stack trace of every mistake, and a file may have one per byte: here they are texts. */
export class LenientXmlParser extends SaxesParser<{ xmlns: false; fragment: false }> {
  readonly #report: (problem: string) => void
  #reports = 0

  constructor(report: (problem: string) => void) {
    super({ xmlns: false, fragment: false })
    this.#report = report
  }

  override fail(message: string): this {
    this.#reports += 1
    if (this.#reports <= REPORTS_MAX) this.#report(`${this.line}:${this.column}: ${message}`)
    return this
  }
}
