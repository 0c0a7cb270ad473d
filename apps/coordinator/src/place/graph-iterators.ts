/**
 * The tables of the graph, read page by page. Each page is a call of its own that seeks behind the last
 * key, so any number of readers go through a table side by side, nobody holds a transaction open, and
 * the whole costs one visit of every row. What is written meanwhile is met or not; what was there before
 * and is there afterwards is met exactly once.
 */
import type { Store } from '@minga/store'

export interface HostPages {
  host: string
  pages: number
}

export interface HostLinks {
  from_host: string
  to_host: string
  links: number
}

export interface HostTimes {
  host: string
  device: string
  connection: Uint8Array
  first_byte: Uint8Array
}

export interface HostAddress {
  id: number
  name: string
  address: string | null
}

/** Some ten milliseconds of the store's thread; less, and the calls cost more than the rows. */
const PAGE_ROWS = 2_000

type Caller = Pick<Store, 'call'>

export const hostPages = (store: Caller, pageRows = PAGE_ROWS): AsyncGenerator<HostPages[]> =>
  pagesOf(store, { operation: 'graphPages', first: [''], keyOf: ({ host }) => [host], pageRows })

export const hostLinks = (store: Caller, pageRows = PAGE_ROWS): AsyncGenerator<HostLinks[]> =>
  pagesOf(store, {
    operation: 'graphLinks',
    first: ['', ''],
    keyOf: ({ from_host: from, to_host: to }) => [from, to],
    pageRows,
  })

export const hostTimes = (store: Caller, pageRows = PAGE_ROWS): AsyncGenerator<HostTimes[]> =>
  pagesOf(store, {
    operation: 'graphTimes',
    first: ['', ''],
    keyOf: ({ host, device }) => [host, device],
    pageRows,
  })

export const hostAddresses = (store: Caller, pageRows = PAGE_ROWS): AsyncGenerator<HostAddress[]> =>
  pagesOf(store, { operation: 'graphAddresses', first: [0], keyOf: ({ id }) => [id], pageRows })

interface Paging<R> {
  operation: string
  first: readonly (string | number)[]
  keyOf: (row: R) => readonly (string | number)[]
  pageRows: number
}

async function* pagesOf<R>(
  store: Caller,
  { operation, first, keyOf, pageRows }: Paging<R>,
): AsyncGenerator<R[]> {
  for (let after = first; ;) {
    const rows = await store.call<R[]>(operation, { after, limit: pageRows })
    if (rows.length > 0) yield rows
    if (rows.length < pageRows) return
    after = keyOf(rows.at(-1)!)
  }
}
