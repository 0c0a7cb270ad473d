/**
 * The unguessable parts of addresses that work without a log-in. They are made from the station's
 * secret, so nothing of them is stored and a copy of the database opens no feed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type TokenUse = 'feed' | 'unsubscribe'

function alertToken(secret: string, use: TokenUse, ruleId: string): string {
  return createHmac('sha256', secret).update(`alert ${use} ${ruleId}`).digest('base64url')
}

export function isAlertToken(
  accepted: readonly string[],
  given: { use: TokenUse; ruleId: string; token: string },
): boolean {
  const token = Buffer.from(given.token)
  return accepted.some((secret) => {
    const wanted = Buffer.from(alertToken(secret, given.use, given.ruleId))
    return token.length === wanted.length && timingSafeEqual(token, wanted)
  })
}

export function alertPath(secret: string, use: TokenUse, ruleId: string): string {
  return `/api/alerts/${ruleId}/${use}/${alertToken(secret, use, ruleId)}`
}
