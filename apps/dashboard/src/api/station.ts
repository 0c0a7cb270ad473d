/**
 * What the page asks of its station, held to the OpenAPI document by types: an address that is not there, a parameter
 * that it does not take or an answer that it does not give is an error before anything runs.
 */
import { ask, queryOf } from './call.ts'
import type { Operations } from './station-api.ts'

export type Name = keyof Operations
export type Wish<N extends Name> = Omit<Operations[N], 'answer'>
type Answer<N extends Name> = Operations[N]['answer']

/** Nothing to say where nothing is needed. */
type CallArgs<N extends Name> = object extends Wish<N> ? [wish?: Wish<N>] : [wish: Wish<N>]

interface AnyWish {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean | null | undefined>
  body?: unknown
}

/** `station('GET /collections/{id}/hosts', { params: { id } })` */
export const station = <N extends Name>(name: N, ...[wish]: CallArgs<N>): Promise<Answer<N>> =>
  send(name, wish ?? {})

export async function send<N extends Name>(name: N, wish: AnyWish): Promise<Answer<N>> {
  const { body, ...place } = wish
  const [method, path] = addressOf(name, place)
  const response = await ask(method, path, body === undefined ? {} : { body })
  return (await response.json()) as Answer<N>
}

export function addressOf(
  name: Name,
  { params = {}, query = {} }: AnyWish,
): [Parameters<typeof ask>[0], string] {
  const [method, template] = name.split(' ') as [Parameters<typeof ask>[0], string]
  const path = template.replaceAll(/\{(\w+)\}/g, (_, hole: string) =>
    encodeURIComponent(params[hole] ?? ''),
  )
  return [method, path + queryOf(query)]
}
