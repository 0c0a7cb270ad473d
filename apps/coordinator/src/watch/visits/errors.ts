import { MingaError } from '@minga/protocol'

export class NoHarvest extends MingaError {
  readonly code = 'MINGA_NO_HARVEST'
  readonly retry = 'never'

  static now(id: number): NoHarvest {
    return new NoHarvest(
      `No harvest of watch ${id} waits or runs; start one with \`minga watch harvest ${id}\`.`,
    )
  }

  static ofPages(id: number): NoHarvest {
    return new NoHarvest(
      `Watch ${id} is of pages, which are visited one by one; only sites are harvested.`,
    )
  }
}
