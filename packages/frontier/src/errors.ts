import { MingaError } from '@minga/protocol'

export class NoSuchCollection extends MingaError {
  readonly code = 'MINGA_NO_SUCH_COLLECTION'
  readonly retry = 'never'
  constructor(id: number) {
    super(`There is no collection ${id}; list the collections to see their numbers.`)
  }
}
