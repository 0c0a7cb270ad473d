/**
 * Checks in every test that calls a station that answers below /api match the document, and that
 * callers over a limit learn when to come back.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { ApiAnswers } from '@minga/testkit'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'

const file = new URL('../openapi.json', import.meta.url)
const answers = new ApiAnswers(JSON.parse(readFileSync(file, 'utf8')) as never)

export function holdToDocument(app: FastifyInstance): void {
  const inject = app.inject.bind(app) as (
    options: InjectOptions | string,
  ) => Promise<LightMyRequestResponse>
  const checked = async (options: InjectOptions | string): Promise<LightMyRequestResponse> => {
    const response = await inject(options)
    // One whose answer is read as a stream has no request to inspect.
    const { method, url } = response.raw.req ?? {}
    if (url !== undefined) check(method ?? 'GET', url, response)
    return response
  }
  app.inject = checked as typeof app.inject
}

function check(method: string, path: string, response: LightMyRequestResponse): void {
  if (response.statusCode === 429)
    assert.match(String(response.headers['retry-after']), /^[1-9]\d*$/)
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  if (!isJson || response.statusCode >= 300 || !path.startsWith('/api/')) return
  if (method === 'HEAD') return
  const seen = { method, path, status: response.statusCode, body: response.json<unknown>() }
  const misfits = answers.misfits(seen) ?? []
  assert.deepEqual(misfits, [], `${method} ${path} is not what openapi.json says`)
}
