/**
 * Hits as JSON lines: one when the request arrives, one when its response ends.
 * Lines are written in batches, so that a reader of a running web is at most FLUSH_MS behind, or
 * each at once, so that whatever was answered can be read.
 */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

import { BadHitLog } from './errors.ts'
import { judgeHits, type Hit, type HitJudge } from './hit-log.ts'

const FLUSH_MS = 20
const FLUSH_CHARACTERS = 65_536

interface Beginning extends Hit {
  id: number
}

interface Ending {
  id: number
  end: number
  status: number
  aborted?: true
}

export interface HitLogFile {
  begin(id: number, hit: Hit): void
  end(id: number, hit: Hit): void
  close(): void
}

export function openHitLog(
  file: string,
  { logAtOnce = false }: { logAtOnce?: boolean } = {},
): HitLogFile {
  const descriptor = openSync(file, 'a')
  let waiting = ''
  const flush = (): void => {
    // A write may be short, on a nearly full disk for instance.
    let rest = Buffer.from(waiting)
    waiting = ''
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest))
  }
  const timer = setInterval(flush, FLUSH_MS).unref()
  const write = (line: Beginning | Ending): void => {
    waiting += JSON.stringify(line) + '\n'
    if (logAtOnce || waiting.length >= FLUSH_CHARACTERS) flush()
  }
  return {
    begin: (id, hit) => write({ id, ...hit }),
    end: (id, { end = 0, status, aborted }) =>
      write(aborted ? { id, end, status, aborted } : { id, end, status }),
    close: () => {
      clearInterval(timer)
      flush()
      closeSync(descriptor)
    },
  }
}

/** An unfinished last line, from a web that was killed, is passed over. */
export function readHitLog(file: string): HitJudge {
  const lines = readFileSync(file, 'utf8').split('\n')
  lines.pop()
  const byId = new Map<number, Hit>()
  const hits: Hit[] = []
  lines.forEach((text, index) => {
    const line = parseLine(text, index + 1)
    if ('url' in line) {
      const { id, ...hit } = line
      byId.set(id, hit)
      hits.push(hit)
    } else {
      const { id, ...ending } = line
      const hit = byId.get(id)
      if (hit) Object.assign(hit, ending)
    }
  })
  return judgeHits(hits)
}

function parseLine(text: string, number: number): Beginning | Ending {
  try {
    const line: unknown = JSON.parse(text)
    if (isLine(line)) return line
  } catch {
    // Reported below, with the same words as any other line that is not a hit.
  }
  throw new BadHitLog(number)
}

function isLine(line: unknown): line is Beginning | Ending {
  if (typeof line !== 'object' || line === null || !('id' in line)) return false
  return ('t' in line && 'url' in line) || 'end' in line
}
