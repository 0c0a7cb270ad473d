/** Watches a collection until it ends. */
import { systemClock, type CollectionStatus } from '@minga/protocol'
import { patiently, type ReachedStation } from './reach-station.ts'

interface Following {
  /** Between two looks. */
  everyMs: number
  /** Ends the watching; the collection itself is left as it is. */
  signal: AbortSignal
  onStatus: (status: CollectionStatus) => void
}

/** Answers the last status: that of its end, or the last one before the signal. A station that hangs is not waited for. */
export async function followCollection(
  station: ReachedStation,
  collection: CollectionStatus,
  { everyMs, signal, onStatus }: Following,
): Promise<CollectionStatus> {
  let status = collection
  while (status.state === 'running' && !signal.aborted) {
    await systemClock.sleep(everyMs, signal)
    const path = `/collections/${status.id}`
    const look = (): Promise<CollectionStatus> => station.api.get<CollectionStatus>(path, signal)
    try {
      status = await patiently(station, look, signal)
    } catch (error) {
      if (signal.aborted) break
      throw error
    }
    onStatus(status)
  }
  return status
}
