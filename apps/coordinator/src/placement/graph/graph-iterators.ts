/**
 * The tables of the graph, read page by page. Each page is a separate call that seeks past the last
 * key, so any number of readers go through a table in parallel, none holds a transaction open, and
 * the whole costs one visit of every row. What is written in the meantime may or may not be seen;
 * what was there before and is there afterwards is seen exactly once.
 */
import type { Calls } from '@minga/store'
import type { Operations } from '../../station/station-operations.ts'

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

type Caller = Calls<Operations>

export const hostPages = (store: Caller, pageRows = PAGE_ROWS): AsyncGenerator<HostPages[]> =>
  pagesOf({
    read: (page) => store.call('graphPages', page),
    first: [''],
    keyOf: ({ host }) => [host],
    pageRows,
  })

export const hostLinks = (store: Caller, pageRows = PAGE_ROWS): AsyncGenerator<HostLinks[]> =>
  pagesOf({
    read: (page) => store.call('graphLinks', page),
    first: ['', ''],
    keyOf: ({ from_host: from, to_host: to }) => [from, to],
    pageRows,
  })

export const hostTimes = (store: Caller, pageRows = PAGE_ROWS): AsyncGenerator<HostTimes[]> =>
  pagesOf({
    read: (page) => store.call('graphTimes', page),
    first: ['', ''],
    keyOf: ({ host, device }) => [host, device],
    pageRows,
  })

export const hostAddresses = (store: Caller, pageRows = PAGE_ROWS): AsyncGenerator<HostAddress[]> =>
  pagesOf({
    read: (page) => store.call('graphAddresses', page),
    first: [0],
    keyOf: ({ id }) => [id],
    pageRows,
  })

type Key = readonly (string | number)[]

interface Paging<R> {
  read: (page: { after: Key; limit: number }) => Promise<R[]>
  first: Key
  keyOf: (row: R) => Key
  pageRows: number
}

async function* pagesOf<R>({ read, first, keyOf, pageRows }: Paging<R>): AsyncGenerator<R[]> {
  for (let after = first; ;) {
    const rows = await read({ after, limit: pageRows })
    if (rows.length > 0) yield rows
    if (rows.length < pageRows) return
    after = keyOf(rows.at(-1)!)
  }
}
