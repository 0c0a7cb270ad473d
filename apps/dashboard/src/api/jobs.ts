/** What the page asks about everything that works in the background, and what it does to it. */
import type { JobAct, JobView } from '@minga/protocol'
import { station } from './station.ts'

/** By the verb of its own kind; the station has said which there are. */
export function actOnJob({ kind, id, of }: JobView, act: JobAct): Promise<unknown> {
  const params = { id: of }
  switch (kind) {
    case 'collection':
      return act === 'retry' ? refused() : station(`POST /collections/{id}/${act}`, { params })
    case 'harvest':
      return act === 'retry' ? refused() : station(`POST /watches/{id}/harvest/${act}`, { params })
    case 'query':
      return station(`POST /queries/{id}/${act === 'retry' ? 'again' : 'cancel'}`, { params })
    case 'wiki': {
      const verb = act === 'retry' ? 'retry' : 'cancel'
      return station(`POST /wikis/tasks/{id}/${verb}`, { params: { id } })
    }
    case 'batch':
      return station('POST /batches/{id}/cancel', { params })
    case 'load-test':
      return station('POST /load-tests/{id}/abort', { params })
    default:
      return refused()
  }
}

const refused = (): Promise<never> => Promise.reject(new TypeError('Nothing can be done to it.'))
