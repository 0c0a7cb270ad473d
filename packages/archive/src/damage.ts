/** What can be wrong with a WARC file, and the signal that carries it inside this package. */

export type DamageCode =
  | 'not-a-record'
  | 'bad-head'
  | 'bad-length'
  | 'bad-gzip'
  | 'bad-checksum'
  | 'truncated'

/** Never leaves the package: readers turn it into a value and go on. */
export class Damage extends Error {
  /** Where to look for the next record: in the file, or further on in the same member. */
  readonly layer: 'gzip' | 'record'
  readonly code: DamageCode

  constructor(layer: 'gzip' | 'record', code: DamageCode, message: string) {
    super(message)
    this.layer = layer
    this.code = code
  }
}
