/** The federation of a station in plain words. */
import type { FederationStatus } from '@minga/protocol'

type Federated = Extract<FederationStatus, { isFederated: true }>

const NAME_WIDTH = 20
const STATE_WIDTH = 8

export function statusText(status: FederationStatus): string {
  if (!status.isFederated) return 'This station collects alone.'
  return [...headLines(status), ...status.stations.map((station) => lineOf(station, status))].join(
    '\n',
  )
}

function headLines(status: Federated): string[] {
  const { role, term, epoch, mode, owned, held, handovers, kept, exchange } = status
  const waiting = Object.values(status.outbox).reduce((sum, rows) => sum + rows, 0)
  const right = status.mayDial
    ? `may dial for ${(status.leaseLeftMs / 1_000).toFixed(1)} s more`
    : 'may not dial: the registrar has not renewed its right'
  return [
    `${role} of term ${term}, map ${epoch}, mode ${mode}; ${right}`,
    ...promotionLines(status),
    `hosts: ${owned} owned, ${held} held, ${handovers} to be handed over`,
    `exchange: ${waiting} rows wait, ${exchange.rows} sent in ${exchange.batches} batches, ${exchange.received} received; ${kept} batches of journals kept`,
  ]
}

function promotionLines({ promotion }: Federated): string[] {
  if (promotion === null) return []
  const { name, term } = promotion
  return [
    `${name} was promoted to registrar (term ${term}) and is not followed until you decide: minga station federate --confirm ${name}, or --reject ${name}`,
  ]
}

function lineOf(station: Federated['stations'][number], status: Federated): string {
  const { id, name, branch, state, capacity, url, keeper } = station
  const marks = [
    branch !== '' && `in ${branch}`,
    id === status.id && 'this station',
    id === status.registrar && 'registrar',
    keeper === status.id && 'its journal is kept here',
  ].filter((mark) => mark !== false)
  const rows = status.outbox[id] ?? 0
  const notes = [...marks, ...(rows > 0 ? [`${rows} rows wait for it`] : [])].join(', ')
  const columns = [name.padEnd(NAME_WIDTH), state.padEnd(STATE_WIDTH), `capacity ${capacity}`, url]
  return `  ${columns.join(' ')}${notes === '' ? '' : ` (${notes})`}`
}
