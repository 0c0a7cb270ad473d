/** What every screen asks first is asked before there is a screen; whoever asks then gets that answer, once. */
import { callerHeaders } from './key.ts'

const coming = new Map<string, Promise<Response>>()

export function askAhead(paths: readonly string[]): void {
  for (const path of paths) {
    const response = fetch(`/api${path}`, { headers: callerHeaders() })
    // Whoever takes it is told; if nobody does, nobody needs to be.
    response.catch(() => undefined)
    coming.set(path, response)
  }
}

export function takeAhead(path: string): Promise<Response> | undefined {
  const response = coming.get(path)
  coming.delete(path)
  return response
}
