/** Where a fake web or wiki writes down each request, when it comes and when its answer ends. */

import type { HitLogFile } from './hit-log-file.ts'
import type { Hit } from './hit-log.ts'

export interface HitBook {
  begin(hit: Hit): { hit: Hit; end: (whole: boolean, lastWriteMs?: number) => void }
  hits(): Hit[]
  forget(): void
  close(): void
}

export function openHitBook(file: HitLogFile | undefined, keepHits: boolean): HitBook {
  let hits: Hit[] = []
  let lastId = 0
  return {
    begin: (hit) => {
      const id = (lastId += 1)
      file?.begin(id, hit)
      if (keepHits) hits.push(hit)
      return {
        hit,
        end: (whole, lastWriteMs) => {
          hit.end = lastWriteMs === undefined ? nowMicroseconds() : Math.floor(lastWriteMs * 1_000)
          if (!whole) hit.aborted = true
          file?.end(id, hit)
        },
      }
    },
    hits: () => hits,
    forget: () => {
      hits = []
    },
    close: () => file?.close(),
  }
}

export function nowMicroseconds(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000_000 + Math.floor(nanoseconds / 1000)
}
