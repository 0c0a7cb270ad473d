/** The beating thread: see thread-beats.ts for the other end. */
import { systemClock, type Heartbeat, type HeartbeatResponse } from '@minga/protocol'
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import { asBeatAnswer, keepBeating } from './beat.ts'
import { StationRefused, UnknownHere } from '../errors.ts'
import { callStation } from './station-call.ts'
import { tellHeard, type BeatNews, type BeatOrder, type ThreadParts } from './thread-beats.ts'

async function serve(main: MessagePort, parts: ThreadParts): Promise<void> {
  const known: BeatOrder = { session: parts.session, fences: [], rests: false, rest: null }
  // Read when a beat is made: it names what the main loop had in progress at that moment.
  const say = (): Heartbeat => {
    for (let news = orderIn(parts); news !== null; news = orderIn(parts)) Object.assign(known, news)
    const { fences, rests, rest } = known
    return { progress: Atomics.load(parts.progress, 0), fences, rests, rest }
  }
  const send = async (beat: Heartbeat, signal: AbortSignal): Promise<HeartbeatResponse> => {
    const { url } = parts
    const call = { url, call: 'beat', bearer: known.session, body: JSON.stringify(beat) }
    try {
      return await callStation(call, asBeatAnswer, signal)
    } catch (error) {
      // Only the main loop has the key to say hello with.
      const news: BeatNews = { type: 'unknown', session: call.bearer }
      if (error instanceof UnknownHere) main.postMessage(news)
      throw error
    }
  }
  const heard = (sentAtMs: number, ended: readonly number[]): void => {
    tellHeard(parts, sentAtMs, ended)
  }
  try {
    await keepBeating({ clock: systemClock, say, send, heard }, new AbortController().signal)
  } catch (error) {
    if (!(error instanceof StationRefused)) throw error
    main.postMessage({ type: 'refused', reason: error.reason } satisfies BeatNews)
  }
}

function orderIn({ orders }: ThreadParts): Partial<BeatOrder> | null {
  const received = receiveMessageOnPort(orders)
  return received?.message ?? null
}

if (parentPort) void serve(parentPort, workerData as ThreadParts)
