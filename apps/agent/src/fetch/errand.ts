import type { BlockRequest, HostBlock } from '@minga/protocol'

/** One request of a block, with what its result must name. */
export interface Errand {
  fence: number
  hostId: number
  collectionId: number
  request: BlockRequest
}

export function errandOf(fence: number, host: HostBlock, request: BlockRequest): Errand {
  return { fence, hostId: host.hostId, collectionId: host.collectionId, request }
}
