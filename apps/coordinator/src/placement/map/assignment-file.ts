/** The whole assignment of hosts to devices as a file, page by page: it may be larger than memory should be. */
import { Readable } from 'node:stream'
import type { Calls } from '@minga/store'
import type { FastifyReply } from 'fastify'
import type { Operations } from '../../station/station-operations.ts'

type Caller = Calls<Operations>

const PAGE_HOSTS = 2_000

interface AssignedHost {
  host: string
  device: string
  name: string
  epoch: number
}

export function sendAssignment(
  store: Caller,
  reply: FastifyReply,
  as: 'csv' | 'jsonl',
): FastifyReply {
  const isCsv = as === 'csv'
  void reply.type(isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
  void reply.header('content-disposition', `attachment; filename="assignment.${as}"`)
  return reply.send(Readable.from(isCsv ? csvLines(store) : jsonLines(store)))
}

async function* csvLines(store: Caller): AsyncGenerator<string> {
  yield 'host,device,name,epoch\n'
  for await (const hosts of assigned(store)) {
    yield hosts
      .map((row) => `${[row.host, row.device, row.name, row.epoch].map(csvField).join(',')}\n`)
      .join('')
  }
}

async function* jsonLines(store: Caller): AsyncGenerator<string> {
  for await (const hosts of assigned(store)) {
    yield hosts.map((row) => `${JSON.stringify(row)}\n`).join('')
  }
}

/** Names of devices are their owners': no program that opens the table is to take one for a formula. */
export function csvField(value: string | number): string {
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

async function* assigned(store: Caller): AsyncGenerator<AssignedHost[]> {
  const names = new Map<string, string>()
  let after = 0
  for (;;) {
    const { epoch, hosts } = await store.call('mappedHosts', { after, atMost: PAGE_HOSTS })
    if (hosts.length === 0) return
    const ids = new Set(hosts.map(({ device }) => device).filter((id) => id !== null))
    const unknown = [...ids].filter((id) => !names.has(id))
    for (const { id, name } of await store.call('devicesNamed', { ids: unknown })) {
      names.set(id, name)
    }
    yield hosts.flatMap(({ host, device }) =>
      device === null ? [] : [{ host, device, name: names.get(device) ?? device, epoch }],
    )
    after = hosts.at(-1)!.hostId
  }
}
