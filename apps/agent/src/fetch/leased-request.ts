import type { BlockRequest, HostBlock } from '@minga/protocol'

/** One request of a block, with what its result must name. */
export interface LeasedRequest {
  fence: number
  hostId: number
  collectionId: number
  request: BlockRequest
}

export function toLeasedRequest(
  fence: number,
  host: HostBlock,
  request: BlockRequest,
): LeasedRequest {
  return { fence, hostId: host.hostId, collectionId: host.collectionId, request }
}
