/** The stations of a federation as a tree of its branches. */
import type { FederationStatus } from '@minga/protocol'

export type Federated = Extract<FederationStatus, { isFederated: true }>
export type MemberStation = Federated['stations'][number]

export interface Branch {
  /** Empty at the root. */
  name: string
  branches: Branch[]
  stations: MemberStation[]
}

export function treeOf(stations: readonly MemberStation[]): Branch {
  const root: Branch = { name: '', branches: [], stations: [] }
  for (const station of stations) {
    let at = root
    for (const name of station.branch === '' ? [] : station.branch.split('/')) {
      let next = at.branches.find((branch) => branch.name === name)
      if (next === undefined) at.branches.push((next = { name, branches: [], stations: [] }))
      at = next
    }
    at.stations.push(station)
  }
  return root
}

export interface PeerRow extends MemberStation {
  isSelf: boolean
  isRegistrar: boolean
  sent: number
  received: number
  waiting: number
}

/** Every station, with what this one exchanged with it. */
export function peersOf(status: Federated): PeerRow[] {
  const peers = new Map(status.peers.map((peer) => [peer.station, peer]))
  return status.stations.map((station) => ({
    ...station,
    isSelf: station.id === status.id,
    isRegistrar: station.id === status.registrar,
    sent: peers.get(station.id)?.sent ?? 0,
    received: peers.get(station.id)?.received ?? 0,
    waiting: status.outbox[station.id] ?? 0,
  }))
}
