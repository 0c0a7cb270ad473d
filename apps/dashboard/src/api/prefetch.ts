/** What every screen requests first is requested before a screen exists; the first caller then gets that answer, once. */
import { callerHeaders } from './key.ts'

const coming = new Map<string, Promise<Response>>()

export function prefetch(paths: readonly string[]): void {
  for (const path of paths) {
    const response = fetch(`/api${path}`, { headers: callerHeaders() })
    // The caller that takes it gets the error; if none does, none needs it.
    response.catch(() => undefined)
    coming.set(path, response)
  }
}

export function takePrefetched(path: string): Promise<Response> | undefined {
  const response = coming.get(path)
  coming.delete(path)
  return response
}
