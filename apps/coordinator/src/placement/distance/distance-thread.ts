/** The thread that learns distances: what is known comes in pages, then the question. See read-distances.ts. */
import { parentPort } from 'node:worker_threads'
import type { PairBytes } from '@minga/partition'
import { DistanceService, type DistanceRequest, type HostEntry } from './distance-service.ts'

export type DistanceMessage =
  | { kind: 'pairs'; nowMs: number; pairs: PairBytes[] }
  | { kind: 'hosts'; nowMs: number; hosts: HostEntry[] }
  | { kind: 'question'; nowMs: number; question: DistanceRequest }

let service: DistanceService | null = null

parentPort!.on('message', (message: DistanceMessage) => {
  service ??= new DistanceService(message.nowMs)
  if (message.kind === 'pairs') service.addPairs(message.pairs)
  else if (message.kind === 'hosts') service.addHosts(message.hosts)
  else parentPort!.postMessage(service.learn(message.question))
})
