/** What a release of the agent says of itself, in a file that is signed (apps/agent/src/release/verify-release.ts). */
import { z } from 'zod'

/** What is signed says what it is for: a signature of anything else is none of a release. */
export const RELEASE_FORMAT = 'minga-agent-release-1'

export const releaseVersion = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/)

export const releaseManifest = z.strictObject({
  format: z.literal(RELEASE_FORMAT),
  version: releaseVersion,
  /** A name without a folder. */
  file: z.string().regex(/^[\w][\w.-]{0,99}$/),
  bytes: z.number().int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Versions below it may not be used any more. */
  minimumVersion: releaseVersion,
})

export type ReleaseManifest = z.infer<typeof releaseManifest>
