/**
 * The baseline: one program that fetches a list by itself, without robots.txt, and keeps
 * nothing.
 *   node fleet-direct-main.ts ORDER_FILE
 * Prints its seconds from the first request to the end of the last answer.
 */
import { readFileSync } from 'node:fs'
import { systemClock } from '@minga/protocol'
import { Agent, request } from 'undici'
import type { DirectOrder } from './fleet-orders.ts'

const KEEP_ALIVE_MS = 60_000

async function fetchAll({ urls, inFlight, delayMs }: DirectOrder): Promise<number> {
  const dispatcher = new Agent({ pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MS })
  const startedMs = systemClock.monotonicMs()
  let endedMs = startedMs
  let next = 0
  const lane = async (): Promise<void> => {
    for (let url = urls[next++]; url !== undefined; url = urls[next++]) {
      const { statusCode, body } = await request(url, { dispatcher })
      await body.bytes()
      if (statusCode !== 200) throw new Error(`${url} was answered with ${statusCode}.`)
      endedMs = systemClock.monotonicMs()
      if (delayMs > 0) await systemClock.sleep(delayMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  await dispatcher.destroy()
  return (endedMs - startedMs) / 1000
}

const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as DirectOrder
console.log(JSON.stringify({ seconds: await fetchAll(order) }))
