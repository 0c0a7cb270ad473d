/**
 * Which results of an upload are audited. The draw is a keyed hash of what names the result, so it
 * is uniform, a device without the station's secret cannot foresee it, and an upload that arrives
 * twice is drawn the same way twice.
 */
import { createHash, createHmac } from 'node:crypto'

/** What names one result: a fence is never given out twice. */
export interface ResultName {
  readonly fence: number
  readonly hostId: number
  readonly hash: number
}

const DRAW_BYTES = 6

/** Uniform in [0, 1). */
export function auditDraw(secret: string, result: ResultName): number {
  return fractionOf(digestOf(secret, 'draw', result))
}

/** As `auditDraw`, and independent of it. */
export function canaryDraw(secret: string, result: ResultName): number {
  return fractionOf(digestOf(secret, 'canary', result))
}

function fractionOf(digest: Buffer): number {
  return digest.readUIntBE(0, DRAW_BYTES) / 2 ** (8 * DRAW_BYTES)
}

export function isDrawn(secret: string, result: ResultName, probability: number): boolean {
  return auditDraw(secret, result) < probability
}

/**
 * The same result is the same audit, however often its upload arrives. The id reveals nothing about
 * the result.
 */
export function auditId(secret: string, result: ResultName): string {
  return `aud_${digestOf(secret, 'id', result).toString('hex', 0, 12)}`
}

function digestOf(secret: string, purpose: string, { fence, hostId, hash }: ResultName): Buffer {
  return createHmac('sha256', secret).update(`${purpose} ${fence} ${hostId} ${hash}`).digest()
}

/**
 * Uniform in [0, 1). The id of an audit is random or made with the station's secret, and no device
 * knows it before it has answered: the draw is unpredictable.
 */
export function drawByAudit(id: string, purpose: string): number {
  return fractionOf(createHash('sha256').update(`${purpose} ${id}`).digest())
}

/** The statuses after which a request is tried again (accept.ts), besides the errors of the server itself. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429])
const SERVER_ERRORS = 500
/** Beyond are a server's own, such as 999. */
const SERVER_ERRORS_END = 600

/** What stands for the status where there was no answer. */
const NOTHING_CAME = 0

/** A passing refusal says nothing about the page: a second fetch may well be answered. Who claims
 * such refusals to avoid work is stopped for poor service, not for lying. */
export function isLasting(status: number): boolean {
  if (NOT_NOW.has(status)) return false
  return status < SERVER_ERRORS || status >= SERVER_ERRORS_END
}

/** Neither the file nor an answer about it came: robots.txt so reported closes the host. */
export function isUnfetched(status: number): boolean {
  return status === NOTHING_CAME || !isLasting(status)
}

const CLIENT_ERRORS = 400

/**
 * Nothing came at all, or the server says no. By such an answer, if it ends a request, one device
 * alone could keep a page from everyone: another is always asked.
 */
export function isFailure(status: number): boolean {
  return status === NOTHING_CAME || status >= CLIENT_ERRORS
}
