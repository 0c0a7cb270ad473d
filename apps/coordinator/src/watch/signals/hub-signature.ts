/** Whether what a hub sends is from who knows our secret (WebSub §8). */
import { createHmac, timingSafeEqual } from 'node:crypto'

const METHODS = new Set(['sha1', 'sha256', 'sha384', 'sha512'])

export function isFromHub(secret: string, body: Uint8Array, header: string | undefined): boolean {
  const [method = '', hex = ''] = (header ?? '').split('=', 2)
  if (!METHODS.has(method.toLowerCase()) || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return false
  const expected = createHmac(method.toLowerCase(), secret).update(body).digest()
  const given = Buffer.from(hex, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
