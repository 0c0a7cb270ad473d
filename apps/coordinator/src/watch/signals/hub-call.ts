/** Asks a hub to tell us of a topic. Only public addresses are called, as with webhooks. */
import { guardedPost, isTaken, type GuardedParts } from '../../station/guarded-post.ts'

export interface HubParts extends GuardedParts {
  userAgent: string
}

/** Null when the hub took it (any 2xx), else what was wrong. */
export async function callHub(
  parts: HubParts,
  args: { hub: string; form: Record<string, string> },
): Promise<string | null> {
  const url = URL.parse(args.hub)
  if (url === null) return 'the address of the hub cannot be read'
  const answer = await guardedPost(parts, url, {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': parts.userAgent,
    },
    body: String(new URLSearchParams(args.form)),
    isSecret: true,
  })
  if (answer.type === 'refused') return 'the hub has no address that may be called'
  if (answer.type === 'silent') return `the hub could not be asked: ${answer.message}`
  return isTaken(answer) ? null : `the hub answered ${answer.status}: ${answer.text}`
}
