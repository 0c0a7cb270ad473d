import { PermanentError } from '@minga/protocol'

/** A file of a graph, of parts, of fixed vertices or of costs that cannot be what it is said to be. */
export class BadGraphFile extends PermanentError {
  readonly code = 'MINGA_BAD_GRAPH_FILE'
  constructor(name: string, line: number, what: string, options?: ErrorOptions) {
    super(`${name}, line ${line}: ${what}.`, options)
  }
}

export class BadPartitionInput extends PermanentError {
  readonly code = 'MINGA_BAD_PARTITION_INPUT'
  constructor(what: string) {
    super(`${what}.`)
  }
}
