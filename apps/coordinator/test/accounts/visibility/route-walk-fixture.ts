/** Every reading route of the API document, with the parameters of a thing that the caller may not see. */
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

interface Documented {
  parameters?: { name: string; in: string }[]
}

interface ApiDocument {
  paths: Record<string, Record<string, Documented>>
}

/** Values by the names of parameters, wherever a route has one of that name. */
export type Values = Readonly<Record<string, string>>

export interface Walked {
  route: string
  status: number
  text: string
}

/** Answers that never end are read to their first part. */
const FIRST_PART_MS = 2_000

function document(): ApiDocument {
  const file = new URL('../../../openapi.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as ApiDocument
}

/** Each route without parameters of its query, with all that are known, and with each alone. */
function readingUrls(values: Values): { route: string; url: string }[] {
  return Object.entries(document().paths).flatMap(([path, operations]) => {
    const { get } = operations
    if (get === undefined) return []
    const names = (get.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
    const known = names.filter((name) => values[name] !== undefined)
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(values[name] ?? values['id'] ?? '1'),
    )
    const queries = [[], known, ...known.map((name) => [name])]
    const urls = queries.map((query) => {
      const text = query.map((name) => `${name}=${encodeURIComponent(values[name]!)}`).join('&')
      return text === '' ? address : `${address}?${text}`
    })
    return [...new Set(urls)].map((url) => ({ route: path, url }))
  })
}

/** Calls all of them, and further addresses that are in no document. */
export async function walk(
  app: FastifyInstance,
  {
    headers,
    values,
    more = [],
  }: { headers: Record<string, string>; values: Values; more?: string[] },
): Promise<Walked[]> {
  const urls = [...readingUrls(values), ...more.map((url) => ({ route: url, url }))]
  const walked: Walked[] = []
  for (const { route, url } of urls) {
    const response = await app.inject({
      url,
      headers: { host: 'localhost', ...headers },
      payloadAsStream: true,
    })
    const head = JSON.stringify(response.headers)
    walked.push({
      route: url,
      status: response.statusCode,
      text: `${head}\n${await beginningOf(response.stream(), /events|stream/.test(route))}`,
    })
  }
  return walked
}

async function beginningOf(stream: NodeJS.ReadableStream, isEndless: boolean): Promise<string> {
  const parts: Buffer[] = []
  const timer = setTimeout(() => (stream as { destroy?: () => void }).destroy?.(), FIRST_PART_MS)
  try {
    for await (const part of stream) {
      parts.push(Buffer.from(part))
      if (isEndless) break
    }
  } catch {
    // What came until it was cut is what is judged.
  }
  clearTimeout(timer)
  return Buffer.concat(parts).toString('latin1')
}
