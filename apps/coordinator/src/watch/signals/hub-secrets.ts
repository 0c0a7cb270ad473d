/**
 * With what a hub may sign for one subscription. A rotation gives it another secret; until the hub has
 * been asked again it signs with the former one, which is accepted for the grace of the rotation. All
 * of them are encrypted as one text, which is a single secret where nothing was rotated.
 */
import { z } from 'zod'

const hubSecrets = z
  .array(z.object({ secret: z.string().min(1), until: z.number().nullable() }))
  .min(1)

type HubSecrets = z.infer<typeof hubSecrets>

function readHubSecrets(opened: string): HubSecrets {
  return opened.startsWith('[')
    ? hubSecrets.parse(JSON.parse(opened))
    : [{ secret: opened, until: null }]
}

/** What a hub is given when it is asked. */
export function currentHubSecret(opened: string): string {
  return readHubSecrets(opened)[0]!.secret
}

export function acceptedHubSecrets(opened: string, now: number): string[] {
  const valid = readHubSecrets(opened).filter(({ until }) => until === null || until > now)
  return valid.map(({ secret }) => secret)
}

/** With a fresh secret first; no former one lasts longer than before. */
export function renewedHubSecrets(
  opened: string,
  { fresh, now, until }: { fresh: string; now: number; until: number },
): string {
  const former = readHubSecrets(opened).map(({ secret, until: end }) => ({
    secret,
    until: Math.min(end ?? until, until),
  }))
  const valid = former.filter((each) => each.until > now)
  return JSON.stringify([{ secret: fresh, until: null }, ...valid] satisfies HubSecrets)
}
