/**
 * The life of a block on a volunteer's machine: ask → fetch → record → send. The loops run in
 * parallel and meet only in the work buffer (what is still to fetch) and the recorder (what is still to
 * send), so a slow upload never stops fetching, a slow site never stops uploading, and a huge page
 * stops neither. A heartbeat says that we are alive.
 */
import { askForBlocks } from './fetch/ask.ts'
import type { Machine } from './fetch/machine.ts'
import { sendResults } from './record/send.ts'
import type { StationClient } from './station/station-client.ts'
import { WorkBuffer } from './fetch/work-buffer.ts'

export async function runAgent(
  station: StationClient,
  machine: Machine,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController()
  const stop = AbortSignal.any([signal, failed.signal])
  const buffer = new WorkBuffer({ machine, signal: stop })
  const sent = new AbortController()
  const { ownerHooks, recorder } = machine
  ownerHooks?.watch(buffer, station.device)

  // Asking ends with the signal; then what is in progress is finished or given back, and sent.
  const workOff = async (): Promise<void> => {
    await askForBlocks({ station, machine, buffer }, stop)
    await buffer.emptied()
    while (recorder.waiting > 0 && !ownerHooks?.hurry.aborted)
      await recorder.changed(ownerHooks?.hurry)
    sent.abort()
  }
  try {
    await Promise.all([
      workOff(),
      sendResults({ station, machine, buffer }, sent.signal),
      machine.beat({ station, buffer }, sent.signal),
    ])
  } finally {
    // A refused loop ends the others: alone they would keep dialling for no result.
    failed.abort()
    sent.abort()
  }
  await station.goodbye(ownerHooks?.hurry)
}
