import { MingaError } from '@minga/protocol'

export class NoHarvest extends MingaError {
  readonly code = 'MINGA_NO_HARVEST'
  override readonly status = 409
  readonly retry = 'never'

  static now(id: number): NoHarvest {
    return new NoHarvest(
      `Watch ${id} has no pending or running harvest. Start one with \`minga watch harvest ${id}\`.`,
    )
  }

  static ofPages(id: number): NoHarvest {
    return new NoHarvest(
      `Watch ${id} is a watch of pages, which are visited one by one; only sites are harvested.`,
    )
  }
}
