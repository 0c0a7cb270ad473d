/** Asks a hub to tell us of a topic. Only public addresses are called, as with webhooks. */
import { guardedPost, isTaken } from '../../station/guarded-post.ts'
import type { Station } from '../../station/station.ts'

/** Null when the hub took it (any 2xx), else what was wrong. */
export async function callHub(
  station: Station,
  args: { hub: string; form: Record<string, string> },
): Promise<string | null> {
  const url = URL.parse(args.hub)
  if (url === null) return 'the address of the hub cannot be read'
  const answer = await guardedPost(station, url, {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': station.userAgent,
    },
    body: String(new URLSearchParams(args.form)),
    isSecret: true,
  })
  if (answer.type === 'refused') return 'the hub has no address that may be called'
  if (answer.type === 'silent') return `the hub could not be asked: ${answer.message}`
  return isTaken(answer) ? null : `the hub answered ${answer.status}: ${answer.text}`
}
