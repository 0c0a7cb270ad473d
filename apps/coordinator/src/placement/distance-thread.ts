/** The thread that learns distances: what is known comes in pages, then the question. See read-distances.ts. */
import { parentPort } from 'node:worker_threads'
import type { PairBytes } from '@minga/partition'
import { DistanceDesk, type DeskQuestion, type HostEntry } from './distance-desk.ts'

export type DeskMessage =
  | { kind: 'pairs'; nowMs: number; pairs: PairBytes[] }
  | { kind: 'hosts'; nowMs: number; hosts: HostEntry[] }
  | { kind: 'question'; nowMs: number; question: DeskQuestion }

let desk: DistanceDesk | null = null

parentPort!.on('message', (message: DeskMessage) => {
  desk ??= new DistanceDesk(message.nowMs)
  if (message.kind === 'pairs') desk.addPairs(message.pairs)
  else if (message.kind === 'hosts') desk.addHosts(message.hosts)
  else parentPort!.postMessage(desk.learn(message.question))
})
