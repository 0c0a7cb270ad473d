/**
 * Tickets for downloads. A browser writes a file of any size to its disk when it follows a link, but a link carries no
 * header, and a cookie alone opens nothing here. So the page asks for a ticket as it asks for anything, and the link
 * carries that: for one address, once, within a minute. In the store, so that no coordinator takes one twice.
 */
import { newSecret, secretHash } from '@minga/fleet'
import type { Sql, OperationTable } from '@minga/store'
import type { FastifyRequest } from 'fastify'

export const TICKET_MS = 60_000
/**
 * Limit per caller, after which older tickets are dropped: a person does not follow a hundred links
 * a minute.
 */
const TICKETS_MOST = 100

const TICKET = /[?&]ticket=(minga_ticket_[\w-]{43})$/

/** The ticket in an address, and the address without it; null when there is none. */
export function ticketIn({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): {
  hash: string
  address: string
} | null {
  // A HEAD request alone must not use it up.
  if (method !== 'GET') return null
  const ticket = TICKET.exec(url)?.[1]
  return ticket === undefined
    ? null
    : { hash: secretHash(ticket), address: url.replace(TICKET, '') }
}

export interface NewTicket {
  hash: string
  /** To be followed: the address with its ticket. */
  link: string
}

export function newTicket(address: string): NewTicket {
  const ticket = newSecret('ticket')
  const link = `${address}${address.includes('?') ? '&' : '?'}ticket=${ticket}`
  return { hash: secretHash(ticket), link }
}

async function keepTicket(
  sql: Sql,
  ticket: { hash: string; credential: string; address: string; now: number; lifeMs?: number },
): Promise<void> {
  const { hash, credential, address, now, lifeMs = TICKET_MS } = ticket
  await sql.run('DELETE FROM download_tickets WHERE expires_at <= ?', [now])
  await sql.run(
    'INSERT INTO download_tickets (hash, credential, address, expires_at) VALUES (?, ?, ?, ?)',
    [hash, credential, address, now + lifeMs],
  )
  await sql.run(
    `DELETE FROM download_tickets WHERE credential = ? AND hash NOT IN (
       SELECT hash FROM download_tickets WHERE credential = ? ORDER BY expires_at DESC, hash LIMIT ?
     )`,
    [credential, credential, TICKETS_MOST],
  )
}

/** By what its maker was known; null when it is spent, late or for something else. Whatever it is, it is spent now. */
export async function spendTicket(
  sql: Sql,
  { hash, address, now }: { hash: string; address: string; now: number },
): Promise<string | null> {
  const row = await sql.get<{ credential: string; address: string; expires_at: number }>(
    'DELETE FROM download_tickets WHERE hash = ? RETURNING credential, address, expires_at',
    [hash],
  )
  const isGood = row !== undefined && row.address === address && row.expires_at > now
  return isGood ? row.credential : null
}

export const ticketOperations = { keepTicket, spendTicket } satisfies OperationTable
